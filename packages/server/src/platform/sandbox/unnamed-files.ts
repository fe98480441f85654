import { readlinkSync, type Stats, statSync } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { takeTurns } from "../in-turns.ts";
import { countWatches } from "./event-watches.ts";
import { deletedMappings } from "./mapped-files.ts";
import { MappingCounter } from "./mapping-counter.ts";
import { residentBytes } from "./process-memory.ts";
import { sharedMemoryFolder } from "./shared-memory-folder.ts";
import { waitingRead } from "./waiting-reads.ts";

/** What processes hold beside their memory. */
export interface HeldFiles {
  /** What files in memory take up (`memfd_create`, shared memory), whether a process uses all of it or not. */
  readonly inMemoryBytes: number;
  /** How many sockets they have: those too are in no folder. */
  readonly sockets: number;
  /** How many pseudo terminals they have made, or keep. */
  readonly terminals: number;
  /** How many files they wait for, as far as that was asked for. */
  readonly watches: number;
  /** How many instances of inotify they have, each of which has a queue of its own. */
  readonly notifiers: number;
  /** How many mappings of memory they have, as far as there was time to count them. */
  readonly mappings: number;
  /** How many of them live, but do not let us see what they have open. */
  readonly hidden: number;
}

/** Files without a name that processes hold open or map: no folder shows them. */
interface UnnamedFiles extends HeldFiles {
  /** Paths that lead to those on disks. */
  readonly onDisk: readonly string[];
}

const deleted = " (deleted)";
/** What the kernel calls files in memory: those of `memfd_create`, shared memory, and that of System V. */
const inMemoryName = /^\/(?:memfd:|(?:dev\/zero|anon_hugepage) \(deleted\)$|SYSV[0-9a-f]{8} \(deleted\)$)/;

/** What makes a pseudo terminal, which is there for as long as this is open. */
const terminalName = /^\/dev\/(?:pts\/)?ptmx$/;
/** One whose maker has closed it: the other end keeps it, and its number, for as long as that is open. */
const keptTerminalName = /^\/dev\/pts\/\d+ \(deleted\)$/;

/** What processes wait for events with. */
const pollName = "anon_inode:[eventpoll]";
/** What tells them of changes to files. */
const notifierName = "anon_inode:inotify";

/** To look at the mappings of deleted files; what is left then has to wait. */
const maxMappedMs = 2_000;

interface Look {
  /** With more than this, it looks no further. */
  readonly most?: { readonly watches: number; readonly mappings: number };
  /** How many processes each is a copy of. */
  readonly depths?: ReadonlyMap<number, number>;
  /** That of earlier looks at the same processes. */
  readonly counter?: MappingCounter;
  /** The number of a file system in memory that is counted as a whole. */
  readonly counted?: number | undefined;
}

/**
 * Finds the unnamed files of processes, in slices. It reads only /proc, and no disk. Files that they wait for are counted if
 * it is told how many are too many.
 */
export async function findUnnamedFiles(
  pids: readonly number[],
  { most, depths, counter = new MappingCounter(), counted }: Look = {},
): Promise<UnnamedFiles> {
  const onDisk: string[] = [];
  const inMemory = new Map<string, number>();
  const sockets = new Set<string>();
  const keptTerminals = new Set<string>();
  let hidden = 0;
  let terminals = 0;
  let watches = 0;
  let notifiers = 0;
  let mappings = 0;
  // A run may hold a million files open.
  const turn = takeTurns();
  const isTooMany = () => most !== undefined && (watches > most.watches || mappings > most.mappings);
  const add = async (path: string, target: string, look: (path: string) => Promise<Stats | undefined>) => {
    await turn();
    if (target.startsWith("socket:")) sockets.add(target);
    if (terminalName.test(target)) terminals += 1;
    if (target === notifierName) notifiers += 1;
    if (target === pollName && most !== undefined) watches += await countWatches(path, most.watches - watches);
    if (!target.endsWith(deleted)) return;
    if (keptTerminalName.test(target)) {
      keptTerminals.add(target);
      return;
    }
    if (inMemoryName.test(target)) {
      const found = await look(path);
      if (found !== undefined) inMemory.set(`${found.dev} ${found.ino}`, found.blocks * 512);
      return;
    }
    const mayBeCounted = counted !== undefined && target.startsWith(sharedMemoryFolder);
    if (!mayBeCounted || (await look(path))?.dev !== counted) onDisk.push(path);
  };
  for (const pid of pids) {
    const open = await openFilesOf(pid);
    if (open === undefined) hidden += 1;
    for (const path of open ?? []) {
      if (isTooMany()) break;
      await add(path, targetOf(path), async () => lookAt(path));
    }
  }
  // Afterwards, because programs can make this wait.
  const mapped = isTooMany() ? undefined : await counter.look(pids, most?.mappings, depths);
  mappings = mapped?.mappings ?? 0;
  const until = performance.now() + maxMappedMs;
  for (const pid of mapped?.withDeleted ?? []) {
    if (isTooMany() || performance.now() > until) break;
    for (const { path, target } of await deletedMappings(pid)) {
      if (performance.now() > until) break;
      await add(path, target ?? (await mappedTargetOf(path)), lookAtMapped);
    }
  }
  const inMemoryBytes = [...inMemory.values()].reduce((total, bytes) => total + bytes, 0);
  terminals += keptTerminals.size;
  return { onDisk, inMemoryBytes, sockets: sockets.size, terminals, watches, notifiers, mappings, hidden };
}

/** The open files of a process, its program and its folder, each of which it may hold alone; undefined if it hides them. */
async function openFilesOf(pid: number): Promise<string[] | undefined> {
  const folder = `/proc/${pid}`;
  const open = await readdir(`${folder}/fd`).catch((error: NodeJS.ErrnoException) => error.code ?? "");
  // One that is about to end has no memory any more, and belongs to root.
  if (open === "EACCES" && residentBytes(pid) > 0) return undefined;
  // It ended.
  if (typeof open === "string") return [];
  return [...open.map((name) => `${folder}/fd/${name}`), `${folder}/exe`, `${folder}/cwd`];
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Only root may follow the links to mapped files. */
function lookAtMapped(path: string): Promise<Stats | undefined> {
  return waitingRead(path, () => stat(path)).catch(() => undefined);
}

function mappedTargetOf(path: string): Promise<string> {
  return waitingRead(path, () => readlink(path)).catch(targetWithout);
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    return targetWithout(error);
  }
}

/** Only a disk has folders so deep. Whether the file is deleted cannot be seen; if not, `du` counts it only once. */
function targetWithout(error: unknown): string {
  return (error as NodeJS.ErrnoException).code === "ENAMETOOLONG" ? deleted : "";
}
