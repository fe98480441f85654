import {
  addEvents,
  claimedTask,
  completeLease,
  countEvents,
  findAgent,
  findLease,
  type HeldLease,
  hearLease,
  type LeaseSignals,
  lockLease,
  noteWorker,
  offerAgain,
  type TakenLease,
  takeLease,
} from "../../agents/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Handlers, OpenWaits, Principal } from "../../platform/http/index.ts";
import { WakeUp } from "../../platform/wake-up/index.ts";
import { findArtifact } from "../artifacts/index.ts";

interface Deps {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly leases: LeaseSignals;
  readonly openWaits: OpenWaits;
  /** After a worker was heard of that was not there before. */
  readonly onWorkerCame: () => void;
}

/** Signals are only a hint: without any, it is looked for a task this often. */
const pollMs = 1_000;
/** Who waits for a task is there: it is noted this often. */
const noteMs = 5_000;
/** So many events of a worker may wait to be read. */
const maxUnread = 5_000;

/** What workers on other machines speak. */
export function workerRoutes(
  parts: Deps,
): Pick<Handlers, "claimTask" | "heartbeatLease" | "sendWorkerEvents" | "completeLease" | "readLeaseSource"> {
  const { db, blobs, leases, onWorkerCame } = parts;
  return {
    claimTask: async ({ params, body, principal, reply }) => {
      await requireWorker(db, params.agent_id, principal);
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const seconds = body.wait_seconds ?? 0;
      const lease = await waitForLease(parts, { agentId: params.agent_id, principal, seconds, gone: gone.signal });
      if (lease === undefined) return { status: 204 };
      leases.tell(lease.id);
      return { status: 200, body: claimedTask(lease) };
    },
    heartbeatLease: async ({ params, body, principal }) => {
      const { agentId, isCancelled } = await requireLease(db, params.lease_id, body.fence, principal);
      if (await noteWorker(db, agentId)) onWorkerCame();
      if (!isCancelled && !(await hearLease(db, params.lease_id, body.fence))) throw lost();
      return { status: 200, body: { is_cancelled: isCancelled } };
    },
    sendWorkerEvents: async ({ params, body, principal }) => {
      const { isCancelled } = await requireLease(db, params.lease_id, body.fence, principal);
      if (isCancelled) return { status: 200, body: { is_cancelled: true } };
      if ((await countEvents(db, params.lease_id, maxUnread)) > maxUnread)
        throw new Refusal("rate_limited", `More than ${maxUnread} events wait to be read.`, {
          headers: { "retry-after": "1" },
        });
      if (!(await addEvents(db, params.lease_id, body.fence, body.events))) throw lost();
      leases.tell(params.lease_id);
      return { status: 200, body: { is_cancelled: false } };
    },
    completeLease: async ({ params, body, principal }) => {
      const lease = await requireLease(db, params.lease_id, body.fence, principal, { mayBeCompleted: true });
      if (lease.isCancelled)
        throw new Refusal("conflict", "The task was cancelled: what was made for it is not wanted.");
      // Its answer got lost, and it asks again.
      if (lease.state !== "claimed") return { status: 204 };
      const { outcome, message, breakdown, patch } = body;
      if (outcome === "given_up") {
        if (!(await offerAgain(db, params.lease_id, body.fence))) throw lost();
        leases.tell(lease.agentId);
        return { status: 204 };
      }
      const patchDigest = patch === undefined ? undefined : await requirePatch(db, lease.projectId, patch);
      const isPaused = await completeLease(db, params.lease_id, body.fence, {
        outcome,
        ...(message !== undefined && { message }),
        ...(breakdown !== undefined && { breakdown }),
        ...(patchDigest !== undefined && { patchDigest }),
      });
      if (!isPaused) throw lost();
      leases.tell(params.lease_id);
      return { status: 204 };
    },
    readLeaseSource: async ({ params, principal }) => {
      const { source, state } = await findOwnLease(db, params.lease_id, principal);
      if (state !== "claimed") throw lost();
      return { status: 200, headers: { "content-type": "application/x-tar" }, body: await blobs.open(source) };
    },
  };
}

/** The lease for which somebody uploads something: they must hold it, for this very project. */
export async function requireUploadLease(
  db: Database,
  { leaseId, fence, projectId }: { leaseId: string; fence: number | undefined; projectId: string },
  principal: Principal,
): Promise<void> {
  if (fence === undefined) throw new Refusal("invalid_parameter", "A lease_id needs the fence that came with it.");
  await lockLease(db, leaseId);
  const lease = await requireLease(db, leaseId, fence, principal);
  if (lease.projectId !== projectId) throw noSuchLease();
  if (lease.isCancelled) throw new Refusal("conflict", "The task was cancelled: what was made for it is not wanted.");
}

interface Wait {
  readonly agentId: string;
  readonly principal: Principal;
  readonly seconds: number;
  readonly gone: AbortSignal;
}

/** A task for the agent: at once, or when one comes within the time. */
async function waitForLease(
  { db, leases, openWaits, onWorkerCame }: Deps,
  { agentId, principal, seconds, gone }: Wait,
): Promise<TakenLease | undefined> {
  using _ = openWaits.open(principal.id);
  const over = new AbortController();
  const until = AbortSignal.any([AbortSignal.timeout(seconds * 1000), gone, openWaits.signal]);
  const wakeUp = new WakeUp();
  until.addEventListener("abort", () => wakeUp.wake(), { once: true });
  leases.subscribe(agentId, () => wakeUp.wake(), over.signal);
  let notedAtMs = -Infinity;
  try {
    for (;;) {
      if (performance.now() - notedAtMs > noteMs) {
        if (await noteWorker(db, agentId)) onWorkerCame();
        notedAtMs = performance.now();
      }
      // Who is gone, or speaks with a service that stops, would never hear of it.
      const lease = gone.aborted || openWaits.signal.aborted ? undefined : await takeLease(db, agentId);
      if (lease !== undefined && gone.aborted) {
        await offerAgain(db, lease.id, lease.fence);
        leases.tell(agentId);
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
  if (agent.registered_by !== userId) throw new Refusal("not_found", `You have registered no worker ${id}.`);
}

async function findOwnLease(db: Database, id: string, { userId }: Principal): Promise<HeldLease> {
  const lease = await findLease(db, id, userId);
  if (lease === undefined) throw noSuchLease();
  return lease;
}

/** The lease as its holder finds it; also one that was cancelled, so that they hear of it. */
async function requireLease(
  db: Database,
  id: string,
  fence: number,
  principal: Principal,
  { mayBeCompleted = false } = {},
): Promise<HeldLease> {
  const lease = await findOwnLease(db, id, principal);
  if (lease.fence !== fence) throw lost();
  const isOver = lease.state === "completed" || (lease.state === "ended" && !lease.isCancelled);
  if (lease.state === "offered" || (isOver && !mayBeCompleted)) throw lost();
  return lease;
}

async function requirePatch(db: Database, projectId: string, path: string): Promise<string> {
  const found = await findArtifact(db, projectId, path);
  const [patch] = found?.matchedBy === "path" ? found.artifacts : [];
  if (patch?.type !== "patch") throw new Refusal("conflict", `There is no patch at '${path}'. Upload it first.`);
  return patch.digest;
}

function lost(): Refusal {
  return new Refusal("conflict", "The lease is no longer yours: the task has ended, or was given to somebody else.");
}

function noSuchLease(): Refusal {
  return new Refusal("not_found", "There is no such lease, or it is not yours.");
}
