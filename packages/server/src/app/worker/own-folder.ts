import { lstat, mkdir, mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../platform/errors/index.ts";
import { isRunning, thisProcess } from "../../platform/process/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import type { Config } from "../config.ts";

interface OwnFolder {
  readonly path: string;
  /** Of what dead workers left, which may be much: nobody has to wait for it, and it never fails. */
  readonly removal: Promise<void>;
}

/** Makes a folder for this process alone; ends what dead workers left running beside it, and begins to remove their files. */
export async function makeOwnFolder(folder: string, sandbox: Config["sandbox"]): Promise<OwnFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await refuseOthers(folder);
  const removals: Promise<void>[] = [];
  for (const name of await readdir(folder)) {
    const [, pid, startedAt] = /^worker-(\d+)-(\d+)-\w+$/.exec(name) ?? [];
    // In a container, the worker that was killed mostly had our id.
    if (pid === undefined || isRunning({ pid: Number(pid), startedAt: Number(startedAt) })) continue;
    const left = join(folder, name);
    // In a folder that others use too, it may be theirs.
    if (!(await isOurFolder(left))) continue;
    // The sandbox finds the programs of a dead worker by its folder.
    const { removal } = await (await createSandbox({ mode: sandbox, dataFolder: left })).sweepOrphans();
    removals.push(removal.then(() => removeFolder(left)).catch(() => undefined));
  }
  const removal = Promise.all(removals).then(() => undefined);
  const { pid, startedAt } = thisProcess();
  return { path: await mkdtemp(join(folder, `worker-${pid}-${startedAt}-`)), removal };
}

const sticky = 0o1000;
const openToOthers = 0o022;

/** Whoever may rename our folder puts another in its place: we would write, remove and give away what that one leads to. */
async function refuseOthers(folder: string): Promise<void> {
  const found = await lstat(folder);
  const isOpen = (found.mode & openToOthers) !== 0 && (found.mode & sticky) === 0;
  if (process.platform === "win32" || (found.isDirectory() && [0, ourUid()].includes(found.uid) && !isOpen)) return;
  throw new ConfigError(
    `${folder} is a link, belongs to somebody else, or others may write to it. Remove it, or name another by --folder.`,
  );
}

async function isOurFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && (process.platform === "win32" || found.uid === ourUid());
}

function ourUid(): number {
  return process.geteuid?.() ?? 0;
}
