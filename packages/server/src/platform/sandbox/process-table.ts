import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A process as /proc shows it; the start time tells it from a later one with the same number. */
export interface Process {
  readonly pid: number;
  readonly startTicks: number;
}

interface Stat extends Process {
  readonly parent: number;
  readonly session: number;
  readonly isDead: boolean;
  /** Its own and that of children it has waited for, so that a sum over a tree counts everything once. */
  readonly cpuTicks: number;
}

interface Watched {
  readonly members: Map<number, Process>;
  readonly sessions: Set<number>;
}

export const runMarker = "SLIPWAY_RUN";
export const homeMarker = "SLIPWAY_HOME";
/** USER_HZ, which is 100 on every Linux that Node runs on. */
export const ticksPerSecond = 100;
const pageBytes = 4096;
/** Strangers are looked at again now and then: their numbers may have gone to others. */
const strangersKnownMs = 5_000;

/** Which processes belong to which run. One for all runs, so that /proc is read once. */
export class ProcessTable {
  readonly #runs = new Map<string, Watched>();
  readonly #strangers = new Set<number>();
  #strangersSince = 0;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  /** Whether this system shows its processes as files. */
  static readonly isHere = existsSync("/proc/self/stat");

  /** From now on; gives the root, unless it is gone already. */
  watch(runId: string, rootPid: number): Process | undefined {
    const members = new Map<number, Process>();
    const stat = readStat(rootPid);
    if (stat !== undefined) members.set(rootPid, stat);
    // The root leads a session of its own: what it leaves behind there is found even without its environment.
    this.#runs.set(runId, { members, sessions: new Set(stat?.session === rootPid ? [rootPid] : []) });
    this.#refreshedAt = Number.NEGATIVE_INFINITY;
    return stat;
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  /** What lives of a run: its tree, its sessions, and whoever carries its marker. */
  find(runId: string, maxAgeMs = 0): Stat[] {
    const watched = this.#runs.get(runId);
    if (watched === undefined) return [];
    this.#refresh(maxAgeMs);
    const living: Stat[] = [];
    for (const [pid, member] of watched.members) {
      const stat = readStat(pid);
      if (stat === undefined || stat.startTicks !== member.startTicks) watched.members.delete(pid);
      else if (!stat.isDead) living.push(stat);
    }
    return living;
  }

  #refresh(maxAgeMs: number): void {
    const now = performance.now();
    if (now - this.#refreshedAt < maxAgeMs) return;
    this.#refreshedAt = now;
    if (now - this.#strangersSince > strangersKnownMs) {
      this.#strangers.clear();
      this.#strangersSince = now;
    }
    const pids = allPids();
    const present = new Set(pids);
    for (const pid of this.#strangers) if (!present.has(pid)) this.#strangers.delete(pid);
    const unknown = new Set(pids.filter((pid) => !this.#strangers.has(pid) && this.#memberOf(pid) === undefined));
    for (const pid of unknown) this.#sort(pid, unknown);
  }

  #memberOf(pid: number): Watched | undefined {
    for (const watched of this.#runs.values()) if (watched.members.has(pid)) return watched;
    return undefined;
  }

  /** Parents before children: who came in a burst belongs to whoever started the first of them. */
  #sort(pid: number, unknown: Set<number>): Watched | undefined {
    if (!unknown.delete(pid)) return this.#memberOf(pid);
    const stat = readStat(pid);
    if (stat === undefined) return undefined;
    const watched = this.#sort(stat.parent, unknown) ?? this.#bySession(stat.session) ?? this.#byMarker(stat);
    if (watched === undefined) return undefined;
    watched.members.set(pid, stat);
    if (stat.session === pid) watched.sessions.add(pid);
    return watched;
  }

  #bySession(session: number): Watched | undefined {
    for (const watched of this.#runs.values()) if (watched.sessions.has(session)) return watched;
    return undefined;
  }

  #byMarker({ pid, parent }: Stat): Watched | undefined {
    const environment = readEnvironment(pid);
    // Empty for a moment while a program is being replaced by another: ask again. For ever in the kernel's own threads.
    if (environment !== "" || pid === 2 || parent === 2) this.#strangers.add(pid);
    const runId = markerIn(environment, runMarker);
    const watched = runId === undefined ? undefined : this.#runs.get(runId);
    if (watched !== undefined) this.#strangers.delete(pid);
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

/** Nothing when there is no such process. */
export function readStat(pid: number): Stat | undefined {
  const text = readSmall(`/proc/${pid}/stat`);
  if (text === "") return undefined;
  // The name stands in brackets and may contain anything, brackets too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ", 20);
  const number = (index: number) => Number(fields[index]);
  return {
    pid,
    isDead: fields[0] === "Z" || fields[0] === "X",
    parent: number(1),
    session: number(3),
    cpuTicks: number(11) + number(12) + number(13) + number(14),
    startTicks: number(19),
  };
}

export function isAlive({ pid, startTicks }: Process): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && !stat.isDead;
}

/** Sends a signal, unless the number has gone to another process. */
export function signalProcess(process_: Process, signal: NodeJS.Signals): void {
  if (!isAlive(process_)) return;
  try {
    process.kill(process_.pid, signal);
  } catch {
    // Gone meanwhile.
  }
}

/** What it has in memory, shared pages counted in full: cheap, and never less than the truth but for swap. */
export function residentBytes(pid: number): number {
  const text = readSmall(`/proc/${pid}/statm`);
  const start = text.indexOf(" ") + 1;
  return Number(text.slice(start, text.indexOf(" ", start))) * pageBytes;
}

/** Its fair part of what it has in memory and in swap; costly for large processes, so not on our thread. */
export async function proportionalBytes(pid: number): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
    return (kilobytes("Pss") + kilobytes("SwapPss")) * 1024;
  } catch {
    return residentBytes(pid);
  }
}

/** Variables as they stood when the program was started; empty where we may not look. */
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

/** Files of /proc have no size, and reading one of a process that ends fails at any point. */
function readSmall(path: string, maxBytes = buffer.length): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
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
