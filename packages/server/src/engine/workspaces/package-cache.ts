import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import { removeFolder } from "../../platform/remove-folder.ts";
import { DiskMeter, roomOn, type SharedFolder } from "../../platform/sandbox/index.ts";
import { timeLimit } from "../../platform/time-limit.ts";

/** To look through one: what takes longer is downloaded again as quickly. */
const maxMeasureMs = 5 * 60_000;

/**
 * One package cache a project, so that a run need not download what an earlier one had. A run's own limit bounds what it adds;
 * `trim` bounds what all runs leave.
 */
export class PackageCaches {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #measureMs: number;
  readonly #users = new Map<string, number>();
  readonly #removals = new Map<string, Promise<void>>();
  /** Caches that nobody used since they were measured. */
  readonly #sizes = new Map<string, number>();

  constructor(folder: string, maxBytes: number, measureMs = maxMeasureMs) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#measureMs = measureMs;
  }

  /** Lends the project's cache for as long as the work takes; nobody removes it meanwhile. */
  async lend<Result>(projectId: string, work: (cache: SharedFolder) => Promise<Result>): Promise<Result> {
    this.#users.set(projectId, (this.#users.get(projectId) ?? 0) + 1);
    try {
      await this.#removals.get(projectId);
      const folder = join(this.#folder, projectId);
      await mkdir(folder, { recursive: true });
      await writeFile(this.#useMark(projectId), "");
      return await work({ folder, env: variables(folder) });
    } finally {
      this.#sizes.delete(projectId);
      const others = this.#users.get(projectId)! - 1;
      if (others > 0) this.#users.set(projectId, others);
      else this.#users.delete(projectId);
    }
  }

  /** Removes caches that nobody uses, the least recently used first, until all together fit. */
  async trim(signal: AbortSignal): Promise<void> {
    const found = await this.#measureAll(signal);
    let bytes = found.reduce((sum, cache) => sum + cache.bytes, 0);
    const failures: unknown[] = [];
    for (const cache of found.toSorted((a, b) => a.usedAtMs - b.usedAtMs)) {
      if (bytes <= this.#maxBytes || signal.aborted) break;
      if (this.#users.has(cache.projectId)) continue;
      try {
        await this.remove(cache.projectId);
        bytes -= cache.bytes;
      } catch (error) {
        // Another one goes in its place.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "Some package caches could not be removed.");
  }

  async remove(projectId: string): Promise<void> {
    const removal = this.#remove(projectId).finally(() => this.#removals.delete(projectId));
    // A run that begins meanwhile waits for it, and gets an empty cache whether it succeeds or not.
    this.#removals.set(
      projectId,
      removal.catch(() => undefined),
    );
    await removal;
  }

  async #remove(projectId: string): Promise<void> {
    this.#sizes.delete(projectId);
    await removeFolder(join(this.#folder, projectId));
    await removeFolder(this.#useMark(projectId));
  }

  async #measureAll(signal: AbortSignal) {
    // A program that was sent one may have written there since.
    if ((await roomOn(this.#folder, signal)).isLow) this.#sizes.clear();
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch(() => []);
    const caches: { projectId: string; bytes: number; usedAtMs: number }[] = [];
    for (const { name: projectId } of entries.filter((entry) => entry.isDirectory())) {
      const bytes = this.#sizes.get(projectId) ?? (await this.#measure(projectId, signal));
      if (signal.aborted) break;
      const mark = await stat(this.#useMark(projectId)).catch(() => undefined);
      // A program of another run may have been sent it, and move what is in it all the time: it goes before the others.
      if (bytes === undefined) caches.push({ projectId, bytes: this.#maxBytes + 1, usedAtMs: 0 });
      else caches.push({ projectId, bytes, usedAtMs: mark?.mtimeMs ?? 0 });
    }
    return caches;
  }

  /** Undefined where nobody can tell, or not in time: one such must not keep the others from being trimmed. */
  async #measure(projectId: string, signal: AbortSignal): Promise<number | undefined> {
    const folders = [join(this.#folder, projectId)];
    const meter = new DiskMeter({ folders, shared: [], openFiles: async () => [] });
    const inTime = AbortSignal.any([signal, timeLimit(this.#measureMs)]);
    const bytes = await meter.measure(inTime).catch(() => undefined);
    if (bytes !== undefined && !this.#users.has(projectId)) this.#sizes.set(projectId, bytes);
    return bytes;
  }

  /** A file whose time says when the cache was last used. It is not in the cache, where programs could set it. */
  #useMark(projectId: string): string {
    return join(this.#folder, `${projectId}.used`);
  }
}

/** Lends the project's cache if its document wants one. */
export function lendCache<Result>(
  caches: PackageCaches,
  projectId: string,
  { performance }: Pick<CompleteSpec, "performance">,
  work: (cache: SharedFolder | undefined) => Promise<Result>,
): Promise<Result> {
  return performance.cache_dependencies ? caches.lend(projectId, work) : work(undefined);
}

function variables(folder: string): Readonly<Record<string, string>> {
  const below = (name: string) => join(folder, name);
  return {
    npm_config_cache: below("npm"),
    npm_config_store_dir: below("pnpm"),
    YARN_CACHE_FOLDER: below("yarn"),
    PIP_CACHE_DIR: below("pip"),
    UV_CACHE_DIR: below("uv"),
    GOMODCACHE: below("go"),
  };
}
