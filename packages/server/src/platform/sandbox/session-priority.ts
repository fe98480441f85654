import { readFileSync, writeFileSync } from "node:fs";
import { readStat, type Stat } from "./process-stat.ts";

/** Ten steps are a tenth of the share: many sessions that compute leave the service more than each gets. */
const lowerBy = 10;
/** The kernel takes a lock of everybody's for each; the next look goes on with others. */
const maxAtOnce = 100;
/**
 * Left alone, beside those that a run begins with: a browser, a database server or whatever else a program starts by
 * itself has a session, and needs its share. So few take no more of the service's than a few runs more would.
 */
const maxSpared = 4;

/**
 * Lowers the priority of sessions that a program makes. A kernel that groups processes by session
 * (`sched_autogroup_enabled`) shares the cores among these first: a program with a hundred sessions would get a hundred
 * times what the service gets, whatever the priorities of its processes, which hold within their session only.
 */
export class SessionPriority {
  #spared: ReadonlySet<number> = new Set();
  #looks = 0;

  /** Lowers that of each session but those that the run began with and a few more; a program may raise it again. */
  lower(processes: readonly Stat[], first: readonly number[]): void {
    if (!sharesBySession) return;
    // The files of processes that have ended belong to root.
    const living = processes.filter(({ isDead }) => !isDead);
    const members = new Map(living.map(({ session, thread }) => [session, thread]));
    for (const session of [ownSession, ...first]) members.delete(session);
    // Ids of sessions that have ended go to others.
    const spared = new Set([...this.#spared].filter((session) => members.has(session)));
    const others = [...members].filter(([session]) => !spared.has(session));
    for (const [session] of others.splice(0, maxSpared - spared.size)) spared.add(session);
    this.#spared = spared;
    const turns = Math.ceil(others.length / maxAtOnce);
    const from = maxAtOnce * (this.#looks++ % Math.max(1, turns));
    for (const [, member] of others.slice(from, from + maxAtOnce)) if (!isLowered(member)) lowerSessionOf(member);
  }
}

function isLowered(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/autogroup`, "utf8").endsWith(` nice ${lowerBy}\n`);
  } catch {
    // It has ended.
    return true;
  }
}

function lowerSessionOf(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(lowerBy));
  } catch {
    // It has ended, or the kernel asks to wait, as it does where root does not run the service.
  }
}

const sharesBySession = readSetting() === "1";
const ownSession = sharesBySession ? (readStat(process.pid)?.session ?? 0) : 0;

function readSetting(): string {
  try {
    return readFileSync("/proc/sys/kernel/sched_autogroup_enabled", "utf8").trim();
  } catch {
    return "";
  }
}
