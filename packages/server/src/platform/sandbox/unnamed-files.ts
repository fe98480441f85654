import { readdirSync, readlinkSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { countWatches } from "./event-watches.ts";

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
    for (const { path, target = targetOf(path) } of [...openFilesOf(pid), ...(await mappedFilesOf(pid))]) {
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

function openFilesOf(pid: number): HeldFile[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map((name) => ({ path: `${folder}/${name}` }));
  } catch {
    // It ended, or it belongs to somebody else.
    return [];
  }
}

/** A mapping holds a file that is closed, and also what of it was never read through the mapping. */
async function mappedFilesOf(pid: number): Promise<HeldFile[]> {
  const files = new Map<string, HeldFile>();
  for (const [, start, end, file, target] of (await mapsOf(pid)).matchAll(deletedMapping))
    files.set(file!, { path: `/proc/${pid}/map_files/${start}-${end}`, target: target! });
  return [...files.values()];
}

/** Addresses, device with inode, and name. */
const deletedMapping = /^0*([0-9a-f]+)-0*([0-9a-f]+) \S+ \S+ (\S+ \d+) +(\/.* \(deleted\))$/gm;

async function mapsOf(pid: number): Promise<string> {
  try {
    const text = await readFile(`/proc/${pid}/maps`, "latin1");
    return text.includes(deleted) ? text : "";
  } catch {
    return "";
  }
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
  } catch {
    return "";
  }
}
