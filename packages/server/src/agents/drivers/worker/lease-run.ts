import { randomUUID } from "node:crypto";
import { packFolder } from "../../../platform/archive/index.ts";
import type { BlobStore } from "../../../platform/blobs/index.ts";
import { type Database, isDatabaseUnavailable } from "../../../platform/database/index.ts";
import { messageOf } from "../../../platform/errors/index.ts";
import { newId } from "../../../platform/ids.ts";
import { WakeUp } from "../../../platform/wake-up/index.ts";
import type { AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { applyPatch } from "../project-folder/apply-patch.ts";
import { reportDone } from "../take-breakdown.ts";
import type { LeaseSignals } from "./lease-signals.ts";
import {
  endLease,
  endLeasesBut,
  type FollowedLease,
  findSameLease,
  followLease,
  type LeaseReport,
  offerAgain,
  offerLease,
  readLease,
  takeEvents,
} from "./lease-store.ts";
import { offeredWork } from "./offered-work.ts";
import { toAgentEvent } from "./worker-event.ts";

export interface WorkerDeps {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly leases: LeaseSignals;
  readonly patience?: WorkerPatience;
}

/** How long a worker is waited for. */
interface WorkerPatience {
  /** Until one takes a task that is offered. */
  readonly takeMs: number;
  /** Until something is heard of who took it. */
  readonly hearMs: number;
}

const usualPatience: WorkerPatience = { takeMs: 60_000, hearMs: 30_000 };

/** Signals are only a hint: without any, the lease is looked at this often. */
const pollMs = 1_000;

/** A worker at its task, as seen from here: the lease is offered, followed, offered again when its holder is lost, and ended. */
export class LeaseRun implements AgentRun {
  readonly events = new EventQueue<AgentEvent>();
  readonly result: Promise<AgentReport>;
  readonly #parts: WorkerDeps;
  readonly #work: AgentWork;
  readonly #host: AgentHost;
  /** Who lost the attempt must not end the lease of who has it now. */
  readonly #follower = randomUUID();
  readonly #wakeUp = new WakeUp();
  #isCancelled = false;
  #followedSinceMs = 0;
  #report: AgentReport | undefined;

  constructor(parts: WorkerDeps, work: AgentWork, host: AgentHost, handle: string | undefined) {
    this.#parts = parts;
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
    const { leases } = this.#parts;
    const id = await this.#until(() => this.#open(handle));
    if (id === undefined) return stopped;
    leases.subscribe(id, () => this.#wakeUp.wake(), over);
    this.#followedSinceMs = performance.now();
    return (await this.#until(() => this.#look(id))) ?? stopped;
  }

  /** Tries until something comes of it; while the database is away, the worker goes on, and so do we when it is back. */
  async #until<T>(attempt: () => Promise<T | undefined>): Promise<T | undefined> {
    for (;;) {
      const found = await attempt().catch((error: unknown) => {
        if (isDatabaseUnavailable(error)) return undefined;
        throw error;
      });
      if (found !== undefined) return found;
      if (this.#isCancelled && this.#parts.leases.isLeaving) return undefined;
      await this.#wakeUp.wait(pollMs);
    }
  }

  async #open(handle: string | undefined): Promise<string> {
    const id = await this.#findOrOffer(handle);
    await this.#host.keepHandle(id);
    return id;
  }

  /** Goes on with the lease of an earlier process, where there is one for this; else offers a new one. */
  async #findOrOffer(handle: string | undefined): Promise<string> {
    const { db, blobs, leases, patience = usualPatience } = this.#parts;
    const { agentId, projectId, task, folder } = this.#work;
    const about = { agentId, projectId, taskId: task.id };
    const follower = this.#follower;
    if (handle !== undefined && (await followLease(db, handle, about, follower))) return handle;
    const { digest: source } = await blobs.put(packFolder(folder));
    const work = offeredWork(this.#work, { source, hearMs: patience.hearMs });
    const same = await findSameLease(db, about, work);
    if (same !== undefined && (await followLease(db, same, about, follower))) return same;
    const id = newId("lease", Date.now());
    for (const ended of await endLeasesBut(db, about, id)) leases.tell(ended);
    await offerLease(db, { id, ...about, work, follower });
    this.events.push({ type: "status", text: "waiting for a worker" });
    leases.tell(agentId);
    return id;
  }

  /** Reads what the worker has let know, and does what is due; the report, if it has come to one. */
  async #look(id: string): Promise<AgentReport | undefined> {
    const { db } = this.#parts;
    if (this.#isCancelled) return this.#stop(id);
    const lease = await readLease(db, id, this.#follower);
    if (lease === undefined) return failed("agent_lost", "The task is followed by another process.");
    // After its state: what was sent before the end is there.
    for (const event of await takeEvents(db, id)) this.events.push(toAgentEvent(event));
    switch (lease.state) {
      case "completed": {
        // Once, also if the database goes away now: a patch fits only the first time.
        this.#report ??= await this.#take(lease.report!);
        await endLease(db, id, this.#follower, { isCancelled: false });
        return this.#report;
      }
      case "ended":
        return stopped;
      case "offered":
      case "claimed":
        return this.#checkPatience(id, lease);
    }
  }

  async #checkPatience(id: string, { state, silentMs }: FollowedLease): Promise<AgentReport | undefined> {
    const { db, leases, patience = usualPatience } = this.#parts;
    const { agentId } = this.#work;
    // While no service was there, nobody could be heard.
    const waitedMs = Math.min(silentMs, performance.now() - this.#followedSinceMs);
    if (state === "offered") {
      if (waitedMs < patience.takeMs) return undefined;
      await endLease(db, id, this.#follower, { isCancelled: true });
      const seconds = Math.round(patience.takeMs / 1000);
      return failed("agent_lost", `No worker of agent ${agentId} took the task within ${seconds} seconds.`);
    }
    if (waitedMs < patience.hearMs || !(await offerAgain(db, id))) return undefined;
    this.events.push({ type: "status", text: "the worker was not heard of any more: offered again" });
    this.#followedSinceMs = performance.now();
    leases.tell(id);
    leases.tell(agentId);
    return undefined;
  }

  /** What the worker has made becomes the attempt's. */
  async #take({ outcome, message, patchDigest, breakdown }: LeaseReport): Promise<AgentReport> {
    const { agentId, folder } = this.#work;
    if (outcome === "failed") return failed("agent_failed", message || `The worker of agent ${agentId} failed.`);
    if (patchDigest !== undefined) {
      const refusal = await applyPatch(this.#host, folder, await this.#parts.blobs.read(patchDigest));
      if (refusal !== undefined) return failed("patch_refused", refusal);
    }
    return breakdown === undefined ? reportDone(this.#work) : { is: "done", breakdown };
  }

  /** The worker is told to stop; but not because this process does. */
  async #stop(id: string): Promise<AgentReport> {
    const { db, leases } = this.#parts;
    if (leases.isLeaving) return stopped;
    await endLease(db, id, this.#follower, { isCancelled: true });
    leases.tell(id);
    return stopped;
  }
}

const stopped = failed("agent_cancelled", "The agent was stopped.");

function failed(code: string, message: string): AgentReport {
  return { is: "failed", code, message };
}
