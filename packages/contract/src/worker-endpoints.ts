import { Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";
import { ClaimedTask, ClaimTask, CompleteLease, HeartbeatLease, LeaseState, SendEvents } from "./workers.ts";

const leaseParams = Type.Object({ lease_id: Id("lease", "The lease's id.") });
const work = { tag: "Workers", access: withScope("agents:work") } as const;

/** What workers on other machines speak: they take tasks, tell what happens, and bring what they made. */
export const workerEndpoints = {
  claimTask: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/agents/{agent_id}/claim",
    summary: "Take a task as a worker, or wait for one",
    description: "Only for who registered the agent. It counts as a sign of life: without one, a worker is offline.",
    params: Type.Object({ agent_id: Id("agent", "The agent's id.") }),
    body: ClaimTask,
    success: [
      { status: 200, description: "A task; it is the worker's until it is heard of no more.", schema: ClaimedTask },
      { status: 204, description: "No task came in this time. Ask again." },
    ],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  heartbeatLease: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/leases/{lease_id}/heartbeat",
    summary: "Say that a worker is still at its task",
    params: leaseParams,
    body: HeartbeatLease,
    success: [{ status: 200, description: "Heard.", schema: LeaseState }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  sendWorkerEvents: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/leases/{lease_id}/events",
    summary: "Tell what happens while a worker is at its task",
    description: "At most 500 at a time. When too many are unread, 429 says when to send them again.",
    params: leaseParams,
    body: SendEvents,
    success: [{ status: 200, description: "Heard.", schema: LeaseState }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  completeLease: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/leases/{lease_id}/complete",
    summary: "End a worker's task, with what came of it",
    params: leaseParams,
    body: CompleteLease,
    success: [{ status: 204, description: "Heard; what was made is looked at now." }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  readLeaseSource: endpoint({
    ...work,
    method: "GET",
    path: "/api/v1/leases/{lease_id}/source",
    summary: "Download the files that a worker's task begins with",
    params: leaseParams,
    success: [{ status: 200, description: "A tar archive.", mediaTypes: ["application/x-tar"] }],
    problems: ["not_found", "conflict"],
  }),
} as const;
