import { closeSync, existsSync, openSync, readdirSync, readlinkSync, readSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { FileRefusal } from "../project-files/index.ts";
import { waitingRead } from "./waiting-reads.ts";

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

interface WatchedRun {
  readonly members: Map<number, Process>;
  readonly sessions: Set<number>;
}

export const runMarker = "SLIPWAY_RUN";
export const homeMarker = "SLIPWAY_HOME";
/** USER_HZ, which is 100 on every Linux that Node runs on. */
export const ticksPerSecond = 100;
/** How long processes of nobody's run are skipped; after that, their ids may have gone to others. */
const unrelatedKnownMs = 5_000;

/** Which processes belong to which run. All runs share one table, so that /proc is read once. */
export class ProcessTable {
  readonly #runs = new Map<string, WatchedRun>();
  readonly #unrelated = new Set<number>();
  /** What the last refresh read of processes that were new to it. */
  #fresh = new Map<number, Stat>();
  #unrelatedSince = 0;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  /** Whether this system has /proc. */
  static readonly isSupported = existsSync("/proc/self/stat");

  /** Begins to watch a run; returns its root process, unless that has ended already. */
  watch(runId: string, rootPid: number): Process | undefined {
    const members = new Map<number, Process>();
    const stat = readStat(rootPid);
    if (stat !== undefined) members.set(rootPid, stat);
    // The root leads its own session, by which orphans are found even without the marker in their environment.
    this.#runs.set(runId, { members, sessions: new Set(stat?.session === rootPid ? [rootPid] : []) });
    this.#refreshedAt = Number.NEGATIVE_INFINITY;
    return stat;
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  /**
   * The processes of a run: its tree, its sessions, and every process that carries its marker. Dead ones too, where it is
   * the run that does not wait for them.
   */
  find(runId: string, maxAgeMs = 0): Stat[] {
    const watched = this.#runs.get(runId);
    if (watched === undefined) return [];
    this.#refresh(maxAgeMs);
    const found: Stat[] = [];
    for (const [pid, member] of watched.members) {
      const stat = this.#fresh.get(pid) ?? readStat(pid);
      if (stat === undefined || stat.startTicks !== member.startTicks) watched.members.delete(pid);
      else if (!stat.isDead || watched.members.has(stat.parent)) found.push(stat);
    }
    return found;
  }

  /** The same processes, as far as they were seen: some may have ended. It reads only those that are new. */
  seen(runId: string): Process[] {
    this.#refresh(0);
    return [...(this.#runs.get(runId)?.members.values() ?? [])];
  }

  #refresh(maxAgeMs: number): void {
    const now = performance.now();
    if (now - this.#refreshedAt < maxAgeMs) return;
    this.#refreshedAt = now;
    if (now - this.#unrelatedSince > unrelatedKnownMs) {
      this.#unrelated.clear();
      this.#unrelatedSince = now;
    }
    this.#fresh = new Map();
    const pids = allPids();
    const present = new Set(pids);
    for (const pid of this.#unrelated) if (!present.has(pid)) this.#unrelated.delete(pid);
    const unknown = new Set(pids.filter((pid) => !this.#unrelated.has(pid) && this.#memberOf(pid) === undefined));
    for (const pid of unknown) this.#assign(pid, unknown);
  }

  #memberOf(pid: number): WatchedRun | undefined {
    for (const watched of this.#runs.values()) if (watched.members.has(pid)) return watched;
    return undefined;
  }

  /** Parents before children, because a child belongs to the run of its parent. */
  #assign(pid: number, unknown: Set<number>): WatchedRun | undefined {
    if (!unknown.delete(pid)) return this.#memberOf(pid);
    const stat = readStat(pid);
    if (stat === undefined) return undefined;
    const watched = this.#assign(stat.parent, unknown) ?? this.#bySession(stat.session) ?? this.#byMarker(stat);
    if (watched === undefined) return undefined;
    watched.members.set(pid, stat);
    this.#fresh.set(pid, stat);
    if (stat.session === pid) watched.sessions.add(pid);
    return watched;
  }

  #bySession(session: number): WatchedRun | undefined {
    for (const watched of this.#runs.values()) if (watched.sessions.has(session)) return watched;
    return undefined;
  }

  #byMarker({ pid, parent, thread }: Stat): WatchedRun | undefined {
    if (isElsewhere(thread)) {
      // Unless its parent ended just now: then it is found with the next one.
      if (this.#unrelated.has(parent)) this.#unrelated.add(pid);
      return undefined;
    }
    const environment = readEnvironment(thread);
    // Empty for a moment during exec: read it again next time. Always empty for the threads of the kernel.
    if (environment !== "" || pid === 2 || parent === 2) this.#unrelated.add(pid);
    const runId = markerIn(environment, runMarker);
    const watched = runId === undefined ? undefined : this.#runs.get(runId);
    if (watched !== undefined) this.#unrelated.delete(pid);
    return watched;
  }
}

export function allPids(): number[] {
  const pids: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (pid > 0) pids.push(pid);
  }
  return pids;
}

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
function findThread(pid: number, file: "stat" | "status", isWanted: (text: string) => boolean) {
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

/**
 * Resident memory with shared pages counted in full, huge pages, what is in swap, where a program may send all of its memory
 * (`MADV_PAGEOUT`), and what the kernel needs to find its pages: cheap, and never too low. The tables are no resident memory: a
 * program that reads one page of each two megabytes that it has reserved takes four kilobytes each time, and nothing else. One
 * that maps single pages far apart takes twice as much. Nor is the table of its open files, which is as long as their highest
 * number.
 */
export function residentBytes(pid: number): number {
  return residentIn(readStatus(pid));
}

/** What the kernel tells of its memory; empty when it does not exist. */
function readStatus(pid: number): string {
  return readSmall(`/proc/${pid}/status`);
}

/** The same of a process, also when the thread of it that lived has ended since. */
export function statusOf({ pid, thread }: Stat): string {
  const status = readStatus(thread);
  if (thread === pid || hasMemory(status)) return status;
  return findThread(pid, "status", hasMemory)?.text ?? status;
}

/** Whether it lives, but the thread of it by which it was to be looked at has ended. */
export function isOutrun(one: Stat): boolean {
  try {
    return one.thread !== one.pid && !hasMemory(readStatus(one.thread)) && isAlive(one);
  } catch {
    // Nobody can tell now.
    return false;
  }
}

/** One that is about to end has none any more. */
function hasMemory(status: string): boolean {
  return status.includes("\nVmRSS:");
}

export function residentIn(status: string): number {
  return 1024 * sumIn(status, ["VmRSS", "VmSwap", "HugetlbPages"]) + tablesIn(status);
}

/** How many files a process has open; older kernels tell only for how many it has room. */
export function openFiles(pid: number): number {
  try {
    const { size = 0 } = statSync(`/proc/${pid}/fd`, { throwIfNoEntry: false }) ?? {};
    return size > 0 ? size : numberIn(readStatus(pid), "FDSize");
  } catch {
    return 0;
  }
}

/** What it has of its own, or shares with those it has forked; the kernel tells this at once, whatever its threads do. */
function anonymousBytes(pid: number): number {
  return anonymousIn(readStatus(pid));
}

export function anonymousIn(status: string): number {
  return 1024 * sumIn(status, ["RssAnon", "VmSwap", "HugetlbPages"]) + tablesIn(status);
}

/** What the kernel needs to find its pages and its open files. */
function tablesIn(status: string): number {
  return 1024 * numberIn(status, "VmPTE") + 8 * numberIn(status, "FDSize");
}

function sumIn(text: string, names: readonly string[]): number {
  return names.reduce((total, name) => total + numberIn(text, name), 0);
}

/** The kernel ends lines with a line feed alone. A program's name may hold what else JavaScript takes for the end of one. */
function numberIn(text: string, name: string): number {
  return Number(new RegExp(`(?:^|\\n)${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0);
}

export interface ProportionalMemory {
  readonly bytes: number;
  /** The part of it that lies in files in memory. */
  readonly sharedBytes: number;
}

/** Its proportional share of memory and swap; reading it is slow for large processes, so it is not done on this thread. */
export async function proportionalMemory(pid: number): Promise<ProportionalMemory> {
  try {
    const path = `/proc/${pid}/smaps_rollup`;
    const text = await waitingRead(path, () => readFile(path, "utf8"));
    const kilobytes = (name: string) => numberIn(text, name);
    // Huge pages that it shares are of a file in memory, which counts as such.
    const bytes = sumIn(text, ["Pss", "SwapPss", "Private_Hugetlb"]) * 1024 + tablesIn(readStatus(pid));
    return { bytes, sharedBytes: kilobytes("Pss_Shmem") * 1024 };
  } catch (error) {
    return { bytes: error instanceof FileRefusal ? anonymousBytes(pid) : residentBytes(pid), sharedBytes: 0 };
  }
}

/** Undefined where there is no /proc. */
const ownNamespace = namespaceOf("self");

/**
 * Whether a process is in another process namespace, as all that bubblewrap started. It is found by its parents, the first of
 * which is in ours. Its environment must not be read in our own thread: the kernel makes whoever reads wait for its threads.
 */
export function isElsewhere(pid: number): boolean {
  return (namespaceOf(pid) ?? ownNamespace) !== ownNamespace;
}

function namespaceOf(pid: number | "self"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** The environment with which the program was started; empty where the service may not read it. */
export function readEnvironment(pid: number): string {
  return readSmall(`/proc/${pid}/environ`, 2 << 20);
}

export function markerIn(environment: string, name: string): string | undefined {
  const start = environment.startsWith(`${name}=`) ? 0 : environment.indexOf(`\0${name}=`) + 1;
  if (start === 0 && !environment.startsWith(`${name}=`)) return undefined;
  const end = environment.indexOf("\0", start);
  return environment.slice(start + name.length + 1, end === -1 ? undefined : end);
}

const buffer = Buffer.allocUnsafe(16 << 10);

function isScarcity({ code }: NodeJS.ErrnoException): boolean {
  return code === "EMFILE" || code === "ENFILE" || code === "ENOMEM";
}

/** Files in /proc report no size, and reading may fail at any point when the process ends. */
function readSmall(path: string, maxBytes = buffer.length): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    // Nobody knows then whether the process is there, and it must not be taken for gone.
    if (isScarcity(error as NodeJS.ErrnoException)) throw error;
    return "";
  }
  try {
    let text = "";
    for (;;) {
      const length = readSync(file, buffer, 0, buffer.length, null);
      text += buffer.toString("latin1", 0, length);
      if (length < buffer.length || text.length >= maxBytes) return text;
    }
  } catch {
    return "";
  } finally {
    closeSync(file);
  }
}
