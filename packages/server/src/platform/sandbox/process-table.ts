import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { type Process, readStat, type Stat } from "./process-stat.ts";
import { readSmall } from "./read-small.ts";

interface WatchedRun {
  readonly members: Map<number, Process>;
  readonly sessions: Set<number>;
}

export const runMarker = "SLIPWAY_RUN";
export const homeMarker = "SLIPWAY_HOME";
/** How long processes of nobody's run are skipped; after that, their ids may have gone to others. */
const unrelatedKnownMs = 5_000;

/** Which processes belong to which run. All runs share one table, so that /proc is read once. */
export class ProcessTable {
  readonly #runs = new Map<string, WatchedRun>();
  /** How many processes and threads each run has. */
  readonly #tasks = new Map<string, number>();
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
    this.#tasks.delete(runId);
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

  /** Whether a run has the most processes and threads of all; of several, the last that began. */
  noteTasks(runId: string, tasks: number): boolean {
    this.#tasks.set(runId, tasks);
    const most = Math.max(...this.#tasks.values());
    return [...this.#tasks].findLast(([, one]) => one === most)?.[0] === runId;
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
