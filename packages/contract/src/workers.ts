import { type Static, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";

const closed = { additionalProperties: false } as const;

/** How long a worker may wait for a task at a time. */
export const longestClaimSeconds = 30;

/** How many events a worker may send at a time. */
export const mostEventsAtOnce = 500;

const Fence = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: "The number that came with the lease: who lost the lease has an old one.",
  examples: [1],
});

const ClaimTask = Type.Object(
  {
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestClaimSeconds,
        default: longestClaimSeconds,
        description: "How long to wait for a task.",
      }),
    ),
  },
  { ...closed, description: "A worker asks for a task." },
);

const ClaimedWork = Type.Object(
  {
    id: Type.String({ description: "The task's id." }),
    title: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    phase: Type.String(),
    role: Type.String({ examples: ["implementer"] }),
    depends_on: Type.Array(Type.String(), { description: "Tasks that are done before it." }),
    estimated_hours: Type.Number(),
    serves: Type.Array(Type.String(), { description: "The lines of acceptance it serves: JSON Pointers." }),
  },
  { description: "The task." },
);

export const ClaimedTask = Type.Object(
  {
    lease_id: Id("lease", "What the task is held by."),
    fence: Fence,
    agent_id: Type.String({ description: "The agent that the worker works as." }),
    project_id: Type.String({ description: "The project it is for." }),
    attempt: Type.Integer({ minimum: 1, description: "Which try at the task it is." }),
    task: ClaimedWork,
    prompt: Type.String({ description: "What to do, in words." }),
    document: Type.Record(Type.String(), Type.Unknown(), {
      description: "The project's document, every default filled in.",
    }),
    source_url: Type.String({ description: "Where the project's files are, as a tar archive." }),
    limits: Type.Object({ minutes: Type.Number() }, { description: "What it may take." }),
    heartbeat_seconds: Type.Integer({ description: "How often to be heard of at least." }),
  },
  { description: "A task, and all that a worker needs for it." },
);

export type ClaimedTask = Static<typeof ClaimedTask>;

const HeartbeatLease = Type.Object({ fence: Fence }, { ...closed, description: "A worker is still at it." });

export const LeaseState = Type.Object(
  { is_cancelled: Type.Boolean({ description: "Nobody wants the result any more: stop." }) },
  { description: "What becomes of a lease." },
);

export type LeaseState = Static<typeof LeaseState>;

const Sequence = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "From 1, growing; an event that comes again is passed over.",
});

const Text = (description: string) => Type.String({ maxLength: 200_000, description });

const Count = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** What a worker lets know while it works. */
export const WorkerEvent = Type.Union(
  [
    event("status", { text: Text("What it is at, in a few words.") }),
    event("log", {
      stream: Type.Enum(["stdout", "stderr"], { description: "Where it was written." }),
      text: Text("What was written, line ends and all."),
    }),
    event("message", { text: Text("What the agent says.") }),
    event("plan", { entries: Type.Array(Text("A step."), { maxItems: 200 }) }),
    event("tool", {
      name: Type.String({ maxLength: 500, description: "What it uses." }),
      detail: Text("For what."),
      is_done: Type.Boolean({ description: "Whether it has ended." }),
    }),
    event("file", {
      path: Type.String({ maxLength: 4_000, description: "From the project's folder." }),
      change: Type.Enum(["read", "written", "removed"], { description: "What it did with it." }),
    }),
    event("usage", {
      input_tokens: Count("Since the last such event."),
      output_tokens: Count("Since the last such event."),
      cost_usd: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1e9, description: "Since the last such event; left out: unknown." }),
      ),
    }),
  ],
  { description: "Something that a worker lets know." },
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
      maxItems: mostEventsAtOnce,
      description: "In the order in which they happened.",
      examples: [[{ sequence: 1, type: "status", text: "reading the files" }]],
    }),
  },
  { ...closed, description: "What happened since the last time." },
);

export const CompleteLease = Type.Object(
  {
    fence: Fence,
    outcome: Type.Enum(["done", "failed", "given_up"], {
      description: "How it ended. What is given up is no failure: another worker gets it.",
    }),
    message: Type.Optional(
      Type.String({ maxLength: 20_000, description: "Why it failed.", examples: ["The tests do not pass."] }),
    ),
    patch: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: "The path of the uploaded patch with what was changed; left out: nothing was.",
        examples: ["patches/lease_01kaw3v9t2h5m8q1x7zc.patch"],
      }),
    ),
    breakdown: Type.Optional(
      Type.String({ maxLength: 250_000, description: "A planner's `tasks.yaml`.", examples: ["tasks: []\n"] }),
    ),
  },
  { ...closed, description: "A worker is done with a task." },
);

export type CompleteLease = Static<typeof CompleteLease>;

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
