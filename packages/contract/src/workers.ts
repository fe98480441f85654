import { withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** How long one request can wait for a task. */
export const maxClaimSeconds = 30;

/** How many events a worker can send in one request. */
export const maxEventsAtOnce = 500;

const Fence = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: "The fence of the lease. It identifies the current holder; an outdated fence is refused.",
  examples: [1],
});

const ClaimTask = Type.Object(
  {
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxClaimSeconds,
        default: maxClaimSeconds,
        description: "How long to wait for a task.",
      }),
    ),
  },
  { ...closed, description: "A worker's request for a task." },
);

const ClaimedWork = Type.Object(
  {
    id: Type.String({ description: "The task's id." }),
    title: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    phase: Type.String(),
    role: Type.String({ examples: ["implementer"] }),
    depends_on: Type.Array(Type.String(), { description: "The tasks that must complete first." }),
    estimated_hours: Type.Number(),
    serves: Type.Array(Type.String(), {
      description: "The acceptance lines the task contributes to, as JSON Pointers.",
    }),
  },
  { description: "The task." },
);

export const ClaimedTask = Type.Object(
  {
    lease_id: Id("lease", "The lease's id."),
    fence: Fence,
    agent_id: Type.String({ description: "The worker's agent." }),
    project_id: Type.String({ description: "The task's project." }),
    attempt: Type.Integer({ minimum: 1, description: "The number of this attempt." }),
    task: ClaimedWork,
    prompt: Type.String({ description: "The instructions." }),
    document: Type.Record(Type.Unknown(), {
      description: "The project's document, with every default filled in.",
    }),
    source_url: Type.String({ description: "The address of the project's files, a tar archive." }),
    limits: Type.Object({ minutes: Type.Number() }, { description: "The task's limits." }),
    heartbeat_seconds: Type.Integer({ description: "The maximum time between two heartbeats." }),
  },
  { description: "A task with everything the worker needs." },
);

export type ClaimedTask = Static<typeof ClaimedTask>;

const HeartbeatLease = Type.Object({ fence: Fence }, { ...closed, description: "A worker's heartbeat." });

export const LeaseState = Type.Object(
  { is_cancelled: Type.Boolean({ description: "The result is no longer needed: stop." }) },
  { description: "The state of a lease." },
);

export type LeaseState = Static<typeof LeaseState>;

const Sequence = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "Counts up from 1. The service ignores repeated events.",
});

const Text = (description: string) => Type.String({ maxLength: 200_000, description });

const Count = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** What a worker reports while it works. */
export const WorkerEvent = Type.Union(
  [
    event("status", { text: Text("A short status.") }),
    event("log", {
      stream: Type.Enum(["stdout", "stderr"], { description: "The output stream." }),
      text: Text("The output, including line breaks."),
    }),
    event("message", { text: Text("The agent's message.") }),
    event("plan", { entries: Type.Array(Text("A step."), { maxItems: 200 }) }),
    event("tool", {
      name: Type.String({ maxLength: 500, description: "The tool's name." }),
      detail: Text("What the tool is used for."),
      is_done: Type.Boolean({ description: "Whether the tool has finished." }),
    }),
    event("file", {
      path: Type.String({ maxLength: 4_000, description: "The path, relative to the project's folder." }),
      change: Type.Enum(["read", "written", "removed"], { description: "What the agent did with the file." }),
    }),
    event("usage", {
      input_tokens: Count("Since the last such event."),
      output_tokens: Count("Since the last such event."),
      cost_usd: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1e9, description: "Since the last such event. Absent if unknown." }),
      ),
    }),
  ],
  { description: "A worker's report." },
);

export type WorkerEvent = Static<typeof WorkerEvent>;

function event<const T extends string, const P extends Parameters<typeof Type.Object>[0]>(type: T, properties: P) {
  return Type.Object({ sequence: Sequence, type: Type.Literal(type), ...properties }, closed);
}

const SendEvents = Type.Object(
  {
    fence: Fence,
    events: Type.Array(WorkerEvent, {
      minItems: 1,
      maxItems: maxEventsAtOnce,
      description: "The events, in order.",
      examples: [[{ sequence: 1, type: "status", text: "reading the files" }]],
    }),
  },
  { ...closed, description: "The events since the last request." },
);

export const CompleteLease = Type.Object(
  {
    fence: Fence,
    outcome: Type.Enum(["done", "failed", "given_up"], {
      description: "The outcome. `given_up` is not a failure: another worker gets the task.",
    }),
    message: Type.Optional(
      Type.String({ maxLength: 20_000, description: "Why it failed.", examples: ["The tests do not pass."] }),
    ),
    patch: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: "The path of the uploaded patch. Absent if nothing changed.",
        examples: ["patches/lease_01kaw3v9t2h5m8q1x7zc.patch"],
      }),
    ),
    breakdown: Type.Optional(
      Type.String({ maxLength: 250_000, description: "A planner's `tasks.yaml`.", examples: ["tasks: []\n"] }),
    ),
  },
  { ...closed, description: "The outcome of a worker's task." },
);

export type CompleteLease = Static<typeof CompleteLease>;

const leaseParams = Type.Object({ lease_id: Id("lease", "The lease's id.") });

const work = { tag: "Workers", access: withScope("agents:work") } as const;

/** Workers: programs on other machines that claim tasks, report progress and return results. */
export const workerEndpoints = {
  claimTask: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/agents/{agent_id}/claim",
    summary: "Claim a task, or wait for one",
    description:
      "Only the user who registered the agent may call this. Each call shows that the worker is alive; without calls it goes offline.",
    params: Type.Object({ agent_id: Id("agent", "The agent's id.") }),
    body: ClaimTask,
    success: [
      { status: 200, description: "A task. The worker keeps it as long as it sends heartbeats.", schema: ClaimedTask },
      { status: 204, description: "No task arrived in time. Ask again." },
    ],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  heartbeatLease: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/leases/{lease_id}/heartbeat",
    summary: "Send a heartbeat for a worker's task",
    params: leaseParams,
    body: HeartbeatLease,
    success: [{ status: 200, description: "The lease's state.", schema: LeaseState }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  sendWorkerEvents: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/leases/{lease_id}/events",
    summary: "Report a worker's progress",
    description:
      "At most 500 events in one request. If too many events are unprocessed, the response is 429 with the time to retry.",
    params: leaseParams,
    body: SendEvents,
    success: [{ status: 200, description: "The lease's state.", schema: LeaseState }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  completeLease: endpoint({
    ...work,
    method: "POST",
    path: "/api/v1/leases/{lease_id}/complete",
    summary: "Complete a worker's task",
    params: leaseParams,
    body: CompleteLease,
    success: [{ status: 204, description: "The outcome was received; the service now processes the result." }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  readLeaseSource: endpoint({
    ...work,
    method: "GET",
    path: "/api/v1/leases/{lease_id}/source",
    summary: "Download the files that a worker's task starts from",
    params: leaseParams,
    success: [{ status: 200, description: "A tar archive.", mediaTypes: ["application/x-tar"] }],
    problems: ["not_found", "conflict"],
  }),
} as const;
