import { readlinkSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { countWatches } from "./event-watches.ts";
import { deletedMappings } from "./mapped-files.ts";

/** Files without a name that processes hold open or map: no folder shows them. */
interface UnnamedFiles {
  /** Paths that lead to those on disks. */
  readonly onDisk: readonly string[];
  /** What those in memory take up (`memfd_create`, shared memory), whether a process uses all of it or not. */
  readonly inMemoryBytes: number;
  /** How many sockets they have: those too are in no folder. */
  readonly sockets: number;
  /** How many files they wait for, as far as that was asked for. */
  readonly watches: number;
}

const deleted = " (deleted)";
/** What the kernel calls files in memory: those of `memfd_create`, shared memory, and that of System V. */
const inMemoryName = /^\/(?:memfd:|dev\/zero \(deleted\)$|SYSV[0-9a-f]{8} \(deleted\)$)/;

/** What processes wait for events with. */
const pollName = "anon_inode:[eventpoll]";

/** How long others wait for their turn: a run may hold a million files open. */
const sliceMs = 5;

/**
 * Finds the unnamed files of processes, in slices. It reads only /proc, and no disk. Files that they wait for are counted up
 * to `maxWatches`; with more, it looks no further.
 */
export async function findUnnamedFiles(pids: readonly number[], maxWatches?: number): Promise<UnnamedFiles> {
  const onDisk: string[] = [];
  const inMemory = new Map<string, number>();
  const sockets = new Set<string>();
  let watches = 0;
  let sliceFrom = performance.now();
  for (const pid of pids) {
    for (const { path, target = targetOf(path) } of await heldFilesOf(pid)) {
      if (performance.now() - sliceFrom > sliceMs) {
        await nextTurn();
        sliceFrom = performance.now();
      }
      if (target.startsWith("socket:")) sockets.add(target);
      if (target === pollName && maxWatches !== undefined) watches += await countWatches(path, maxWatches - watches);
      if (watches > (maxWatches ?? 0)) break;
      if (!target.endsWith(deleted)) continue;
      if (!inMemoryName.test(target)) onDisk.push(path);
      else {
        const found = lookAt(path);
        if (found !== undefined) inMemory.set(`${found.dev} ${found.ino}`, found.blocks * 512);
      }
    }
    if (watches > (maxWatches ?? 0)) break;
  }
  const inMemoryBytes = [...inMemory.values()].reduce((total, bytes) => total + bytes, 0);
  return { onDisk, inMemoryBytes, sockets: sockets.size, watches };
}

interface HeldFile {
  /** Leads to the very file, whatever its name leads to. */
  readonly path: string;
  /** Its name, where that is known already. */
  readonly target?: string;
}

/** The open files of a process, those it maps, its program and its folder, each of which it may hold alone. */
async function heldFilesOf(pid: number): Promise<HeldFile[]> {
  const folder = `/proc/${pid}`;
  // It ended, or it belongs to somebody else.
  const open = await readdir(`${folder}/fd`).catch(() => []);
  const mapped = await deletedMappings(pid);
  return [...open.map((name) => `${folder}/fd/${name}`), `${folder}/exe`, `${folder}/cwd`]
    .map((path): HeldFile => ({ path }))
    .concat(mapped);
}

/** Only root may follow the links to mapped files. */
function lookAt(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    // Only a disk has folders so deep. Whether it is deleted cannot be seen; if not, `du` counts it only once.
    return (error as NodeJS.ErrnoException).code === "ENAMETOOLONG" ? deleted : "";
  }
}
