import { maxSingleUploadBytes } from "@slipway/contract";
import {
  addEvents,
  areTooManyUnread,
  type ClaimedLease,
  claimedTask,
  claimLease,
  completeLease,
  findAgent,
  findLease,
  type LeaseSignals,
  lockLease,
  noteWorker,
  releaseLease,
  renewLease,
  type WorkerLease,
} from "../../agents/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, type OpenWaits, type Principal, untilGone } from "../../platform/http/index.ts";
import { WakeUp } from "../../platform/wake-up/index.ts";
import { findPatch, patchPath } from "../artifacts/index.ts";

interface Deps {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly leases: LeaseSignals;
  readonly openWaits: OpenWaits;
  /** Called after a worker appeared that was absent before. */
  readonly onWorkerCame: () => void;
}

/** Signals may get lost, so a waiting worker's tasks are also polled. */
const pollMs = 1_000;
/** How often the presence of a waiting worker is saved. */
const presenceMs = 5_000;
const maxUnread = { events: 5_000, bytes: 16 * 1024 * 1024 };

/** The protocol of workers on other machines: claim, heartbeat, events, complete. */
export function workerRoutes(
  deps: Deps,
): Pick<Handlers, "claimTask" | "heartbeatLease" | "sendWorkerEvents" | "completeLease" | "readLeaseSource"> {
  const { db, blobs, leases, onWorkerCame } = deps;
  return {
    claimTask: async ({ params, body, principal, reply }) => {
      await requireWorker(db, params.agent_id, principal);
      const seconds = body.wait_seconds ?? 0;
      const wait = { agentId: params.agent_id, principal, seconds, gone: untilGone(reply) };
      const lease = await waitForLease(deps, wait);
      if (lease === undefined) return { status: 204 };
      leases.notify(lease.id);
      return { status: 200, body: claimedTask(lease) };
    },
    heartbeatLease: async ({ params, body, principal }) => {
      const { agentId, isCancelled } = await requireLease(db, params.lease_id, body.fence, principal);
      if (await noteWorker(db, agentId)) onWorkerCame();
      if (!isCancelled && !(await renewLease(db, params.lease_id, body.fence))) throw lost();
      return { status: 200, body: { is_cancelled: isCancelled } };
    },
    sendWorkerEvents: async ({ params, body, principal }) => {
      const { isCancelled } = await requireLease(db, params.lease_id, body.fence, principal);
      if (isCancelled) return { status: 200, body: { is_cancelled: true } };
      if (await areTooManyUnread(db, params.lease_id, maxUnread))
        throw new Refusal(
          "rate_limited",
          `More than ${maxUnread.events} events, or ${maxUnread.bytes} bytes of them, wait to be read.`,
          { headers: { "retry-after": "1" } },
        );
      if (!(await addEvents(db, params.lease_id, body.fence, body.events))) throw lost();
      leases.notify(params.lease_id);
      return { status: 200, body: { is_cancelled: false } };
    },
    completeLease: async ({ params, body, principal }) => {
      const lease = await requireLease(db, params.lease_id, body.fence, principal, { mayBeCompleted: true });
      if (lease.isCancelled) throw new Refusal("conflict", "The task was cancelled: its result is no longer wanted.");
      // A retry of a worker that did not receive our answer.
      if (lease.state !== "claimed") return { status: 204 };
      const { outcome, message, breakdown, patch } = body;
      if (outcome === "given_up") {
        if (!(await releaseLease(db, params.lease_id, body.fence))) throw lost();
        leases.notify(lease.agentId);
        return { status: 204 };
      }
      const patchDigest =
        patch === undefined ? undefined : await requirePatch(db, lease.projectId, params.lease_id, patch);
      const isHolder = await completeLease(db, params.lease_id, body.fence, {
        outcome,
        ...(message !== undefined && { message }),
        ...(breakdown !== undefined && { breakdown }),
        ...(patchDigest !== undefined && { patchDigest }),
      });
      if (!isHolder) throw lost();
      leases.notify(params.lease_id);
      return { status: 204 };
    },
    readLeaseSource: async ({ params, principal }) => {
      const { source, state } = await findOwnLease(db, params.lease_id, principal);
      if (state !== "claimed") throw lost();
      return { status: 200, headers: { "content-type": "application/x-tar" }, body: await blobs.open(source) };
    },
  };
}

/** Refuses an upload unless the caller holds the lease, and the lease is for this project. */
export async function requireUploadLease(
  db: Database,
  { leaseId, fence, projectId }: { leaseId: string; fence: number | undefined; projectId: string },
  principal: Principal,
): Promise<void> {
  if (fence === undefined) throw new Refusal("invalid_parameter", "A lease_id needs the fence that came with it.");
  await lockLease(db, leaseId);
  const lease = await requireLease(db, leaseId, fence, principal);
  if (lease.projectId !== projectId) throw noSuchLease();
  if (lease.isCancelled) throw new Refusal("conflict", "The task was cancelled: its result is no longer wanted.");
}

interface Wait {
  readonly agentId: string;
  readonly principal: Principal;
  readonly seconds: number;
  readonly gone: AbortSignal;
}

/** Claims a task for the agent; waits for one as long as the caller asks. */
async function waitForLease(
  { db, leases, openWaits, onWorkerCame }: Deps,
  { agentId, principal, seconds, gone }: Wait,
): Promise<ClaimedLease | undefined> {
  using _ = openWaits.open(principal);
  const over = new AbortController();
  const until = AbortSignal.any([AbortSignal.timeout(seconds * 1000), gone, openWaits.signal]);
  const wakeUp = new WakeUp();
  until.addEventListener("abort", () => wakeUp.wake(), { once: true });
  leases.subscribe(agentId, () => wakeUp.wake(), over.signal);
  let presenceSavedAtMs = -Infinity;
  try {
    for (;;) {
      if (performance.now() - presenceSavedAtMs > presenceMs) {
        if (await noteWorker(db, agentId)) onWorkerCame();
        presenceSavedAtMs = performance.now();
      }
      // Claims nothing for a worker that is gone, or once the service stops: the answer would not arrive.
      const lease = gone.aborted || openWaits.signal.aborted ? undefined : await claimLease(db, agentId);
      if (lease !== undefined && gone.aborted) {
        await releaseLease(db, lease.id, lease.fence);
        leases.notify(agentId);
        return undefined;
      }
      if (lease !== undefined || until.aborted) return lease;
      await wakeUp.wait(pollMs);
    }
  } finally {
    over.abort();
  }
}

async function requireWorker(db: Database, id: string, { userId }: Principal): Promise<void> {
  const agent = await findAgent(db, id);
  if (agent === undefined) throw new Refusal("not_found", `There is no agent ${id}.`);
  if (agent.kind !== "worker")
    throw new Refusal("conflict", `The agent ${id} is of kind '${agent.kind}': only workers ask for tasks.`);
  if (agent.registered_by !== userId) throw new Refusal("not_found", `You have not registered a worker ${id}.`);
}

async function findOwnLease(db: Database, id: string, { userId }: Principal): Promise<WorkerLease> {
  const lease = await findLease(db, id, userId);
  if (lease === undefined) throw noSuchLease();
  return lease;
}

/** The lease, if the fence is its holder's; a cancelled one too, so that the holder learns of it. */
async function requireLease(
  db: Database,
  id: string,
  fence: number,
  principal: Principal,
  { mayBeCompleted = false } = {},
): Promise<WorkerLease> {
  const lease = await findOwnLease(db, id, principal);
  if (lease.fence !== fence) throw lost();
  const isOver = lease.state === "completed" || (lease.state === "ended" && !lease.isCancelled);
  if (lease.state === "offered" || (isOver && !mayBeCompleted)) throw lost();
  return lease;
}

/** The digest of the patch that was uploaded for the lease; no other's is applied in its name. */
async function requirePatch(db: Database, projectId: string, leaseId: string, path: string): Promise<string> {
  const patch = path === patchPath(leaseId) ? await findPatch(db, projectId, leaseId) : undefined;
  if (patch === undefined)
    throw new Refusal(
      "conflict",
      `There is no patch of this lease at '${path}'. Upload it to '${patchPath(leaseId)}' first.`,
    );
  // It is read as a whole. With an earlier version, the project's owner could put a larger one there, in pieces.
  if (patch.size_bytes > maxSingleUploadBytes)
    throw new Refusal(
      "conflict",
      `The patch has ${patch.size_bytes} bytes; it may have at most ${maxSingleUploadBytes}.`,
    );
  return patch.digest;
}

function lost(): Refusal {
  return new Refusal("conflict", "The lease is no longer yours: the task has ended, or was given to somebody else.");
}

function noSuchLease(): Refusal {
  return new Refusal("not_found", "Not found: the lease does not exist, or is not yours.");
}
