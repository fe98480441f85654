import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { oneLine } from "../../platform/one-line.ts";
import { PluginFailure } from "../../platform/plugins/index.ts";
import { DiskMeter } from "../../platform/sandbox/index.ts";

/** A package is a stranger's: it may hold a pipe, on which npm waits for ever, or a few megabytes that unpack to a full disk. */
export const installLimits = { wallMs: 10 * 60_000, diskBytes: 2 * 2 ** 30, lookMs: 500 };

/**
 * Installs a package with all it needs into an empty folder, and returns its name. It has the folder for itself: among the
 * modules of others, npm would let its dependencies pass for theirs.
 */
export async function installPackage(folder: string, source: string, limits = installLimits): Promise<string> {
  const manifest = join(folder, "package.json");
  await writeFile(manifest, '{ "private": true }\n');
  await install(folder, source, limits);
  const { dependencies = {} } = JSON.parse(await readFile(manifest, "utf8")) as { dependencies?: object };
  const [name] = Object.keys(dependencies);
  if (name === undefined) throw new PluginFailure(`npm installed ${source}, but it cannot be told under which name.`);
  return name;
}

/** Runs npm without the scripts of packages. */
async function install(folder: string, source: string, limits: typeof installLimits): Promise<void> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--install-links", "--omit=dev"];
  const ending = new AbortController();
  const over = new AbortController();
  const options = { cwd: folder, signal: ending.signal, killSignal: "SIGKILL", maxBuffer: 16 * 2 ** 20 } as const;
  const npm = promisify(execFile)("npm", ["install", ...flags, "--", source], options).finally(() => over.abort());
  const [end, broken] = await Promise.all([
    npm.then(() => undefined, explain),
    watch(folder, limits, over.signal).finally(() => ending.abort()),
  ]);
  if (end === missing) throw new PluginFailure(missing);
  const why = broken ?? end;
  if (why !== undefined) throw new PluginFailure(`npm cannot install ${source}: ${why}`);
}

/** Which limit npm breaks, as soon as it does; undefined if it ends before. */
async function watch(
  folder: string,
  { wallMs, diskBytes, lookMs }: typeof installLimits,
  signal: AbortSignal,
): Promise<string | undefined> {
  const meter = new DiskMeter({ folders: [folder], shared: [], openFiles: async () => [] });
  const endsAt = performance.now() + wallMs;
  for (let isOver = false; !isOver; ) {
    await delay(lookMs, undefined, { signal }).catch(() => undefined);
    isOver = signal.aborted;
    if (!isOver && performance.now() > endsAt) return `it took more than ${wallMs / 60_000} minutes.`;
    // Unless it cannot be measured now: npm moves what it writes.
    const bytes = (await meter.measure(AbortSignal.timeout(wallMs)).catch(() => undefined)) ?? 0;
    if (bytes > diskBytes) return `it takes more than ${diskBytes / 2 ** 30} GiB.`;
  }
  return undefined;
}

const missing = "npm is not installed: install it, or name the plugin's folder by 'path'.";

function explain(error: unknown): string {
  const { code, stderr = "", message } = error as NodeJS.ErrnoException & { stderr?: string };
  if (code === "ENOENT") return missing;
  return oneLine(stderr.trim() === "" ? message : stderr.trim().split("\n").slice(0, 3).join(" "), 500);
}
