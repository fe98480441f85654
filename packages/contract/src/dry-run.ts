import { Id, OptionalTimestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { type Static, Type } from "./schema.ts";
import { UnmetRequest } from "./unmet-request.ts";

const PlannedTaskData = Type.Object({
  id: Type.String(),
  title: Type.String(),
  description: Type.Optional(Type.String()),
  phase: Type.String(),
  role: Type.String(),
  depends_on: Type.Array(Type.String()),
  estimated_hours: Type.Number(),
  serves: Type.Array(Type.String()),
});

export const Obstacle = Type.Object(
  {
    kind: Type.Enum(["agent", "secret", "program", "check"], { description: "What is missing." }),
    is_blocking: Type.Boolean({ description: "Whether the project would fail." }),
    pointer: StringOrNull("The JSON Pointer of what asks for it. Null if nothing in the document does."),
    line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: "The line number in the document." }),
    message: Type.String(),
    remedy: Type.String({ description: "What mends it, with the command where there is one." }),
  },
  { description: "Something that stands in the way of a run." },
);

export type Obstacle = Static<typeof Obstacle>;

export const RunEstimate = Type.Object(
  {
    roles: Type.Array(
      Type.Object({
        role: Type.String(),
        agent_id: Type.String({ description: "The agent that would fill the role now." }),
        finished_tasks: Type.Integer({ minimum: 1, description: "How many tasks it is the median of." }),
        median_ms: Type.Integer({ minimum: 0, description: "What a task of the role took with this agent." }),
      }),
      { description: "What is known. A role whose agent has finished no such task is missing." },
    ),
    duration_ms: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: "From start to end, if tasks take as long as before. Null if a role has no history.",
    }),
  },
  { description: "What the latest runs of this outcome type on this service took." },
);

export type RunEstimate = Static<typeof RunEstimate>;

export const DryRun = Type.Object(
  {
    phases: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: Type.Enum(["planning", "work", "validation", "deployment"]),
        depends_on: Type.Array(Type.String()),
        priority: Type.Enum(["critical", "high", "medium", "low"]),
        has_acceptance: Type.Boolean(),
      }),
    ),
    tasks: Type.Array(PlannedTaskData),
    summary: Type.Object({
      total_hours: Type.Number({ description: "By `estimated_hours` of the document, 1 where a task has none." }),
      duration_hours: Type.Number({ description: "The duration from start to end with the allowed parallelism." }),
      parallel_tasks: Type.Integer(),
      critical_path: Type.Object({ tasks: Type.Array(Type.String()), hours: Type.Number() }),
    }),
    estimate: RunEstimate,
    environment: Type.Union([Type.String(), Type.Null()]),
    following: Type.Array(
      Type.Object({
        environment: Type.String(),
        needs_approval: Type.Boolean(),
        approvers: Type.Array(Type.String(), { description: "Who may approve. Administrators if empty." }),
      }),
      { description: "The environments that get the result by themselves after that, in this order." },
    ),
    roles: Type.Array(
      Type.Object({
        role: Type.String(),
        capabilities: Type.Array(Type.String(), { description: "The capabilities the role requires." }),
        agent_id: StringOrNull("The agent that would fill the role now. Null if there is none."),
        availability: Type.Enum(["free", "busy", "unknown"], { description: "With `unknown` the project would fail." }),
      }),
    ),
    approvals: Type.Array(
      Type.Object({ gate: Type.Enum(["plan", "deployment"]), approvers: Type.Array(Type.String()) }),
    ),
    secrets: Type.Array(
      Type.Object({
        name: Type.String(),
        provider: Type.String(),
        is_required: Type.Boolean({ description: "Whether the project fails without it." }),
        is_found: Type.Boolean(),
        reason: StringOrNull("Why the secret cannot be had. Null if it can."),
        remedy: StringOrNull("What to do about it, such as the command that sets it."),
      }),
      { description: "The secrets that the document names." },
    ),
    acceptance: Type.Array(
      Type.Object({
        pointer: Type.String({ description: "The JSON Pointer of the line in the document." }),
        title: Type.String(),
        can_be_verified: Type.Boolean({ description: "Whether the service or a plugin will say if it holds." }),
        asked_of: StringOrNull("The agent that would be asked whether it holds. Null if none would be."),
      }),
      { description: "The lines to verify: guardrails and acceptance." },
    ),
    unmet: Type.Array(
      Type.Object({
        ...UnmetRequest.properties,
        task_id: Type.Optional(Type.String({ description: "The task that would finish it. Absent if none would." })),
        agent_id: Type.Optional(Type.String({ description: "The agent that would get this task now." })),
      }),
      {
        description:
          "The requests in the document that the built-in agent would not meet, and who would finish them. Empty if other agents do all of the work.",
      },
    ),
    preflight: Type.Array(Obstacle, {
      description:
        "What stands in the way of the run: missing agents, secrets, programs, and lines that nobody checks.",
    }),
    application_id: Type.Union([Id("application", "The application that the run would belong to."), Type.Null()], {
      description: "The application that the run would belong to. Null if it would be the first run.",
    }),
    regenerates: Type.Union(
      [
        Type.Object({
          project_id: StringOrNull("The run that produced the files."),
          put_at: OptionalTimestamp("When somebody uploaded the files. Null if they are the deployed result."),
        }),
        Type.Null(),
      ],
      {
        description: "The existing files that the built-in agent would merge with its own. Null if there are none.",
      },
    ),
    diagnostics: Type.Array(Type.Record(Type.Unknown()), { description: "Warnings and hints." }),
  },
  { description: "What a run would do. Nothing was created." },
);
