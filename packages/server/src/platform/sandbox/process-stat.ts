import { readdirSync } from "node:fs";
import { readSmall } from "./read-small.ts";

/** A process as /proc shows it; the start time tells it from a later process with the same id. */
export interface Process {
  readonly pid: number;
  readonly startTicks: number;
}

export interface Stat extends Process {
  readonly parent: number;
  readonly session: number;
  /** It has ended, and is there until its parent waits for it. */
  readonly isDead: boolean;
  /** A thread of it that lives; /proc shows neither memory nor files under the id of one that has ended. */
  readonly thread: number;
  readonly threads: number;
  /** It is a copy of its parent, or shares its memory, until it executes a program of its own. */
  readonly isCopy: boolean;
  /** How often it was given a page, or a page of its own in place of one that it shared. */
  readonly faults: number;
  /** Its own and that of children it has waited for, so that the sum over a tree counts each tick once. */
  readonly cpuTicks: number;
}

/** USER_HZ, which is 100 on every Linux that Node runs on. */
export const ticksPerSecond = 100;

/** PF_FORKNOEXEC, a flag of the kernel's. */
const forkedOnly = 0x40;

/** Undefined when the process does not exist. */
export function readStat(pid: number): Stat | undefined {
  const text = readSmall(`/proc/${pid}/stat`);
  if (text === "") return undefined;
  const fields = fieldsOf(text);
  const number = (index: number) => Number(fields[index]);
  const isFirstThreadDead = fields[0] === "Z" || fields[0] === "X";
  const thread = isFirstThreadDead && number(17) > 1 ? livingThread(pid) : pid;
  return {
    pid,
    isDead: isFirstThreadDead && thread === pid,
    thread,
    parent: number(1),
    session: number(3),
    isCopy: (number(6) & forkedOnly) !== 0,
    faults: number(7),
    cpuTicks: number(11) + number(12) + number(13) + number(14),
    threads: number(17),
    startTicks: number(19),
  };
}

/** Those after the name, which stands in brackets and may contain brackets, blanks and whatever looks like a field. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ", 20);
}

/** A process goes on when its first thread has ended; its state is then that of a dead one. */
function livingThread(pid: number): number {
  const isLiving = (stat: string) => !/^[ZX]/.test(fieldsOf(stat)[0]!);
  return findThread(pid, "stat", isLiving)?.thread ?? pid;
}

/** How often a list of threads is read again, of which one had ended before it was looked at. */
const maxLists = 20;

/**
 * A thread, but for the first one, of which the kernel tells something. Each may start the next one and end at once: none of a
 * list would be there any more when it is looked at.
 */
export function findThread(pid: number, file: "stat" | "status", isWanted: (text: string) => boolean) {
  for (let left = maxLists; left > 0; left -= 1) {
    let isAnyGone = false;
    for (const thread of threadsOf(pid)) {
      const text = thread === pid ? undefined : readSmall(`/proc/${thread}/${file}`);
      if (text && isWanted(text)) return { thread, text };
      isAnyGone ||= text === "";
    }
    if (!isAnyGone) return undefined;
  }
  return undefined;
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    // It ended.
    return [];
  }
}

/** More are not looked at. */
const maxThreads = 1_000;

/** How many threads of a process wait for the kernel and nothing else, as for the end of a `vfork`. */
export function waitingThreads(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).slice(0, maxThreads);
    return threads.filter((thread) => fieldsOf(readSmall(`/proc/${pid}/task/${thread}/stat`))[0] === "D").length;
  } catch {
    // It ended.
    return 0;
  }
}

export function isAlive({ pid, startTicks }: Process): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && !stat.isDead;
}

/** Sends a signal, unless the id has gone to another process. */
export function signalProcess(process_: Process, signal: NodeJS.Signals): void {
  if (!isAlive(process_)) return;
  try {
    process.kill(process_.pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
