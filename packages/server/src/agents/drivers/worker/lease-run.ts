import { randomUUID } from "node:crypto";
import { packFolder } from "../../../platform/archive/index.ts";
import { BlobError, type BlobStore } from "../../../platform/blobs/index.ts";
import { type Database, isDatabaseUnavailable } from "../../../platform/database/index.ts";
import { messageOf } from "../../../platform/errors/index.ts";
import { newId } from "../../../platform/ids.ts";
import { WakeUp } from "../../../platform/wake-up/index.ts";
import type { AgentHost, AgentReport, AgentRun, AgentWork } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { failed } from "../failed-report.ts";
import { applyPatch } from "../project-folder/apply-patch.ts";
import { reportDone } from "../take-breakdown.ts";
import type { LeaseSignals } from "./lease-signals.ts";
import {
  endLease,
  endLeases,
  endLeasesBut,
  type FollowedLease,
  type FoundLease,
  findSameLease,
  followLease,
  type LeaseReport,
  offerLease,
  readLease,
  releaseLease,
  selectLeases,
  takeEvents,
} from "./lease-store.ts";
import { offeredWork } from "./offered-work.ts";
import { toAgentEvent } from "./worker-event.ts";

export interface WorkerDeps {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly leases: LeaseSignals;
  readonly timeouts?: WorkerTimeouts;
}

interface WorkerTimeouts {
  /** How long an offered task may wait for a worker. */
  readonly claimMs: number;
  /** How long a worker may be silent before its task is offered again. */
  readonly heartbeatMs: number;
}

const defaultTimeouts: WorkerTimeouts = { claimMs: 60_000, heartbeatMs: 30_000 };

/** Signals may get lost, so the run polls its lease this often. */
const pollMs = 1_000;
/** While the store is away: each try packs all files again. */
const maxPauseMs = 30_000;

/** A worker's task, as the service sees it: offers the lease, follows it, offers it again if the worker is lost, ends it. */
export class LeaseRun implements AgentRun {
  readonly events = new EventQueue();
  readonly result: Promise<AgentReport>;
  readonly #deps: WorkerDeps;
  readonly #work: AgentWork;
  readonly #host: AgentHost;
  /** Keeps a process that lost the attempt from ending the lease of the one that has it now. */
  readonly #follower = randomUUID();
  readonly #wakeUp = new WakeUp();
  #isCancelled = false;
  /** What is offered for the task before it is known which of them is ours. */
  #found: readonly FoundLease[] | undefined;
  #followedSinceMs = 0;
  #report: AgentReport | undefined;

  constructor(deps: WorkerDeps, work: AgentWork, host: AgentHost, handle: string | undefined) {
    this.#deps = deps;
    this.#work = work;
    this.#host = host;
    const over = new AbortController();
    this.result = this.#run(handle, over.signal)
      .catch((error: unknown) => failed("agent_failed", messageOf(error)))
      .finally(() => {
        over.abort();
        this.events.close();
      });
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#wakeUp.wake();
  }

  async #run(handle: string | undefined, over: AbortSignal): Promise<AgentReport> {
    const { leases } = this.#deps;
    const id = await this.#until(() => this.#open(handle), { hasLease: false });
    if (id === undefined) return (await this.#until(() => this.#endFound(), { hasLease: true })) ?? stopped;
    leases.subscribe(id, () => this.#wakeUp.wake(), over);
    this.#followedSinceMs = performance.now();
    return (await this.#until(() => this.#poll(id), { hasLease: true })) ?? stopped;
  }

  /** Repeats until there is a result; while database or store are away the worker continues, and so do we when they are back. */
  async #until<T>(attempt: () => Promise<T | undefined>, { hasLease }: { hasLease: boolean }): Promise<T | undefined> {
    let [before, pauseMs]: [string | undefined, number] = [undefined, pollMs];
    for (;;) {
      const { found, whyAway } = await tried(attempt);
      if (found !== undefined) return found;
      // Else the attempt would time out, and nobody would know of what.
      if (whyAway !== undefined && whyAway !== before) this.events.push({ type: "status", text: whyAway });
      // Nobody has the task yet, from whom it would have to be taken away.
      const isOver = this.#deps.leases.isLeaving || (whyAway !== undefined && !hasLease);
      if (this.#isCancelled && isOver) return undefined;
      pauseMs = whyAway === undefined || before === undefined ? pollMs : Math.min(2 * pauseMs, maxPauseMs);
      before = whyAway;
      await this.#wakeUp.wait(pauseMs);
    }
  }

  async #open(handle: string | undefined): Promise<string> {
    const id = await this.#findOrOffer(handle);
    await this.#host.saveHandle(id);
    return id;
  }

  /** Follows the lease that an earlier process offered for this work, or offers a new one. */
  async #findOrOffer(handle: string | undefined): Promise<string> {
    const { db, blobs, leases, timeouts = defaultTimeouts } = this.#deps;
    const { agentId, projectId, task, folder } = this.#work;
    const about = { agentId, projectId, taskId: task.id };
    const follower = this.#follower;
    // Once: what is offered later is somebody else's.
    this.#found ??= await selectLeases(db, about);
    if (handle !== undefined && (await followLease(db, handle, about, follower))) return handle;
    const { digest: source } = await blobs.put(packFolder(folder));
    const work = offeredWork(this.#work, { source, heartbeatMs: timeouts.heartbeatMs });
    const same = await findSameLease(db, about, work);
    if (same !== undefined && (await followLease(db, same, about, follower))) return same;
    const id = newId("lease", Date.now());
    for (const ended of await endLeasesBut(db, about, id)) leases.notify(ended);
    this.#found = [{ id, follower }];
    await offerLease(db, { id, ...about, work, follower });
    this.events.push({ type: "status", text: "waiting for a worker" });
    leases.notify(agentId);
    return id;
  }

  /** Passes the worker's events on and does what is due; returns the report once there is one. */
  async #poll(id: string): Promise<AgentReport | undefined> {
    const { db } = this.#deps;
    if (this.#isCancelled) return this.#stop(id);
    const lease = await readLease(db, id, this.#follower);
    if (lease === undefined) return failed("agent_lost", "The task is followed by another process.");
    await this.events.whenRoom();
    // After the state was read: then all events sent before the end are there.
    for (const event of await takeEvents(db, id)) this.events.push(toAgentEvent(event));
    switch (lease.state) {
      case "completed": {
        // Only once, even if the database goes away now: a patch applies only the first time.
        this.#report ??= await this.#take(lease.report!);
        await endLease(db, id, this.#follower, { isCancelled: false });
        return this.#report;
      }
      case "ended":
        return stopped;
      case "offered":
      case "claimed":
        return this.#checkTimeouts(id, lease);
    }
  }

  async #checkTimeouts(id: string, { state, silentMs }: FollowedLease): Promise<AgentReport | undefined> {
    const { db, leases, timeouts = defaultTimeouts } = this.#deps;
    const { agentId } = this.#work;
    // While no service followed the lease, no worker could report to it.
    const waitedMs = Math.min(silentMs, performance.now() - this.#followedSinceMs);
    if (state === "offered") {
      if (waitedMs < timeouts.claimMs) return undefined;
      await endLease(db, id, this.#follower, { isCancelled: true });
      const seconds = Math.round(timeouts.claimMs / 1000);
      return failed("agent_lost", `No worker of agent ${agentId} took the task within ${seconds} seconds.`);
    }
    if (waitedMs < timeouts.heartbeatMs || !(await releaseLease(db, id))) return undefined;
    this.events.push({ type: "status", text: "the worker is silent: the task is offered again" });
    this.#followedSinceMs = performance.now();
    leases.notify(id);
    leases.notify(agentId);
    return undefined;
  }

  /** Applies the worker's result to the attempt's folder. */
  async #take({ outcome, message, patchDigest, breakdown }: LeaseReport): Promise<AgentReport> {
    const { agentId, folder } = this.#work;
    if (outcome === "failed") return failed("agent_failed", message || `The worker of agent ${agentId} failed.`);
    if (patchDigest !== undefined) {
      const refusal = await applyPatch(this.#host, folder, await this.#deps.blobs.read(patchDigest));
      if (refusal !== undefined) return failed("patch_refused", refusal);
    }
    return breakdown === undefined ? reportDone(this.#work) : { is: "done", breakdown };
  }

  /** The task was cancelled before we followed any lease: no worker may take, or go on with, what was offered for it. */
  async #endFound(): Promise<AgentReport> {
    const { db, leases } = this.#deps;
    if (leases.isLeaving) return stopped;
    for (const ended of await endLeases(db, this.#found ?? [])) leases.notify(ended);
    return stopped;
  }

  /** Tells the worker to stop, unless it is only this process that stops. */
  async #stop(id: string): Promise<AgentReport> {
    const { db, leases } = this.#deps;
    if (leases.isLeaving) return stopped;
    await endLease(db, id, this.#follower, { isCancelled: true });
    leases.notify(id);
    return stopped;
  }
}

interface Tried<T> {
  readonly found?: T | undefined;
  /** What the store said. */
  readonly whyAway?: string;
}

async function tried<T>(attempt: () => Promise<T | undefined>): Promise<Tried<T>> {
  try {
    return { found: await attempt() };
  } catch (error) {
    if (isDatabaseUnavailable(error)) return {};
    if (error instanceof BlobError && error.code === "store_unavailable") return { whyAway: error.message };
    throw error;
  }
}

const stopped = failed("agent_cancelled", "The agent was stopped.");
