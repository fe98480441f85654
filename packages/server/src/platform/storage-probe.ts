import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "./errors/index.ts";

interface Options {
  /** How long a result counts: anyone may ask, and each answer costs a write. */
  readonly cacheMs?: number;
  /** A disk that takes longer counts as gone. */
  readonly timeoutMs?: number;
}

const probeBytes = 64 * 1024;
const fileName = ".readiness-probe";

/** Tells whether the service can still store files in its folders, by storing one. */
export class StorageProbe {
  readonly #folders: readonly string[];
  readonly #options: Required<Options>;
  #latest: { readonly atMs: number; readonly problem: Promise<string | undefined> } | undefined;

  constructor(folders: readonly string[], { cacheMs = 1_000, timeoutMs = 2_000 }: Options = {}) {
    this.#folders = [...new Set(folders)];
    this.#options = { cacheMs, timeoutMs };
  }

  /** Refuses while a folder cannot be written to. */
  async require(): Promise<void> {
    const problem = await this.#probe();
    if (problem === undefined) return;
    const detail = `The service cannot store files: ${problem}.`;
    throw new Refusal("storage_unavailable", detail, { headers: { "retry-after": "5" } });
  }

  #probe(): Promise<string | undefined> {
    const now = performance.now();
    if (this.#latest === undefined || now - this.#latest.atMs > this.#options.cacheMs)
      this.#latest = { atMs: now, problem: this.#writeWithin(this.#options.timeoutMs) };
    return this.#latest.problem;
  }

  async #writeWithin(timeoutMs: number): Promise<string | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(() => resolve("the disk does not answer"), timeoutMs);
    const written = Promise.all(this.#folders.map(tryToStore)).then((problems) => problems.find(Boolean));
    try {
      return await Promise.race([written, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Why nothing can be stored in a folder. Strangers may read it, so it names no path. */
async function tryToStore(folder: string): Promise<string | undefined> {
  const path = join(folder, fileName);
  try {
    await using file = await open(path, "w", 0o600);
    await file.writeFile(Buffer.alloc(probeBytes));
    // Some file systems notice only now that there is no room.
    await file.datasync();
    return undefined;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return reasons[code] ?? `writing failed (${code || "unknown"})`;
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the disk is read-only",
  EACCES: "its folder is not writable",
  ENOENT: "its folder is gone",
};
