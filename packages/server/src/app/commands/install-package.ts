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
export async function installPackage(
  folder: string,
  source: string,
  limits = installLimits,
  signal?: AbortSignal,
): Promise<string> {
  const manifest = join(folder, "package.json");
  await writeFile(manifest, '{ "private": true }\n');
  await requireNpm(folder);
  await install(folder, source, limits, signal);
  const { dependencies = {} } = JSON.parse(await readFile(manifest, "utf8")) as { dependencies?: object };
  const [name] = Object.keys(dependencies);
  if (name === undefined) throw new PluginFailure(`npm installed ${source}, but it cannot be told under which name.`);
  return name;
}

/** Of npm. Earlier ones run a package's 'prepare' whatever they are told, and by the shell that they find. */
const firstVersion = [10, 9, 3];

async function requireNpm(folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)("npm", ["--version"], { cwd: folder }).catch((error: unknown) => {
    throw new PluginFailure(explain(error));
  });
  const found = stdout.trim().split(".").map(Number);
  const differs = firstVersion.findIndex((number, at) => found[at] !== number);
  if (differs === -1 || found[differs]! > firstVersion[differs]!) return;
  throw new PluginFailure(
    `npm ${oneLine(stdout, 20)} would run scripts of packages: get ${firstVersion.join(".")} or a later one by 'npm install --global npm', or name the plugin's folder by 'path'.`,
  );
}

/**
 * Keeps npm from running what a stranger wrote. `--ignore-scripts` is not enough: a package from git may name a program of its
 * own as npm's git, and npm before 11 runs 'prepare' of folders. Where npm does not know a flag, the next one still holds.
 */
const runsNothing = [
  "--ignore-scripts",
  "--script-shell=/no-scripts-of-packages",
  "--allow-git=none",
  "--git=/no-packages-from-git",
];

/** Runs npm without the scripts of packages. */
async function install(
  folder: string,
  source: string,
  limits: typeof installLimits,
  stopped: AbortSignal | undefined,
): Promise<void> {
  const flags = [...runsNothing, "--no-audit", "--no-fund", "--loglevel=error", "--install-links", "--omit=dev"];
  const ending = new AbortController();
  const over = new AbortController();
  const signal = stopped === undefined ? ending.signal : AbortSignal.any([ending.signal, stopped]);
  const options = { cwd: folder, signal, killSignal: "SIGKILL", maxBuffer: 16 * 2 ** 20 } as const;
  const npm = promisify(execFile)("npm", ["install", ...flags, "--", source], options).finally(() => over.abort());
  const [end, broken] = await Promise.all([
    npm.then(() => undefined, explain),
    watch(folder, limits, over.signal).finally(() => ending.abort()),
  ]);
  stopped?.throwIfAborted();
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
