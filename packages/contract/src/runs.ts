import { type Static, Type } from "typebox";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { Page } from "./paging.ts";
import { ProjectError } from "./projects.ts";
import { TotalUsage, Usage } from "./usage.ts";

const Name = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 1000, description, examples: [example] });
const ErrorOrNull = Type.Union([ProjectError, Type.Null()], { description: "Why it failed, if it did." });

export const Phase = Type.Object(
  {
    name: Type.String({ description: "The phase's name.", examples: ["implementation"] }),
    kind: Type.Enum(["planning", "work", "validation", "deployment"], { description: "What is done in it." }),
    status: Type.Enum(["waiting", "running", "verifying", "completed"], { description: "Where it stands." }),
    depends_on: Type.Array(Type.String(), { description: "Phases that are completed before it starts." }),
    priority: Type.Enum(["critical", "high", "medium", "low"], { description: "Which goes first." }),
    tasks_done: Type.Integer({ description: "How many of its tasks are done." }),
    tasks: Type.Integer({ description: "How many tasks it has." }),
    estimated_hours: Type.Number({ description: "The sum of its tasks' estimates." }),
  },
  { description: "A phase of a project." },
);
export type Phase = Static<typeof Phase>;
export const PhaseList = Type.Object({ phases: Type.Array(Phase) }, { description: "The phases, in order." });

const TaskAttempt = Type.Object(
  {
    number: Type.Integer({ description: "Counts the attempts at the task." }),
    agent_id: Type.String({ description: "Who made it." }),
    queued_at: Timestamp("From when it waited for the agent."),
    started_at: OptionalTimestamp("When the agent began."),
    ended_at: OptionalTimestamp("When it ended."),
    outcome: Type.Enum(["completed", "failed", "running", "queued"], {
      description: "How it ended, or where it stands.",
    }),
    error: ErrorOrNull,
    usage: Usage,
  },
  { description: "An attempt at a task." },
);

export const Task = Type.Object(
  {
    task_id: Type.String({ description: "The document's id of it, or a slug of its title." }),
    title: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    phase: Type.String({ description: "The phase it belongs to." }),
    role: Type.String({ description: "The role that does it." }),
    status: Type.Enum(["waiting", "queued", "running", "completed", "failed"], { description: "Where it stands." }),
    agent_id: Type.Union([Type.String(), Type.Null()], { description: "Who is at it, or did it." }),
    depends_on: Type.Array(Type.String(), { description: "Tasks that are done before it." }),
    estimated_hours: Type.Number(),
    serves: Type.Array(Type.String(), { description: "The acceptance lines it serves, as JSON Pointers." }),
    queued_at: OptionalTimestamp("From when its latest attempt waited for the agent."),
    started_at: OptionalTimestamp("When its latest attempt began."),
    ended_at: OptionalTimestamp("When its latest attempt ended."),
    attempts: Type.Array(TaskAttempt, { description: "Every attempt, the first first." }),
  },
  { description: "A task of a project." },
);
export type Task = Static<typeof Task>;
const taskPage = Page("tasks", Task, "Tasks, in an order in which they can be done.");
export const TaskPage = Type.Object(
  {
    ...taskPage.properties,
    usage: Type.Object(TotalUsage.properties, { description: "Of all tasks of the project." }),
  },
  { description: "Tasks, in an order in which they can be done." },
);

export const Checkpoint = Type.Object(
  {
    checkpoint_id: Id("checkpoint", "The checkpoint's id."),
    phase: Type.String({ description: "The phase at whose end it was made." }),
    commit: Type.Union([Type.String(), Type.Null()], {
      description: "The workspace's commit; null: nothing was made yet.",
    }),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    created_at: Timestamp("When it was made."),
  },
  { description: "The end of a phase, to which the project can be rolled back." },
);
export type Checkpoint = Static<typeof Checkpoint>;
export const CheckpointPage = Page("checkpoints", Checkpoint, "Checkpoints, newest first.");

export const RestartProject = Type.Object(
  { from_phase: Name("The phase to start over from; all that depends on it is done again too.", "implementation") },
  { additionalProperties: false },
);
export const RollbackProject = Type.Object(
  { checkpoint: Id("checkpoint", "The checkpoint to go back to.") },
  { additionalProperties: false },
);
export const RetryTask = Type.Object(
  {
    task_id: Name("The task to try again.", "build-hello"),
    downstream: Type.Optional(
      Type.Boolean({ default: false, description: "Also do everything again that depends on it." }),
    ),
  },
  { additionalProperties: false },
);

const priorities = ["low", "medium", "high", "critical"] as const;

export const AssignAgent = Type.Object(
  {
    agent_id: Name("The agent that is to fill the role.", "agent_01kaw3v9t2h5m8q1x7zc"),
    capabilities: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 100,
        description: "What it must be able to do; refused if it is not.",
        examples: [["typescript"]],
      }),
    ),
    priority: Type.Optional(
      Type.Enum([...priorities], { default: "medium", description: "Orders the agent's queue." }),
    ),
  },
  { additionalProperties: false },
);

export const RoleAssignment = Type.Object(
  {
    project_id: Id("project", "The project."),
    role: Type.String({ description: "The role." }),
    agent_id: Type.String({ description: "Who fills it." }),
    capabilities: Type.Array(Type.String(), { description: "What the agent can do." }),
    priority: Type.Enum([...priorities], { description: "Orders the agent's queue." }),
    assigned_at: Timestamp("When it was assigned."),
  },
  { description: "Who fills a role." },
);

export const Approval = Type.Object(
  {
    approval_id: Id("approval", "The approval's id."),
    project_id: Id("project", "The project that waits for it."),
    gate: Type.Enum(["plan", "deployment", "permission"], {
      description: "What is to be approved: a plan, a deployment, or what an agent asks for while it works.",
    }),
    phase: Type.String({ description: "The phase that starts when it is approved, or in which the agent works." }),
    environment: Type.String({ description: "Where the result would go; empty: the top level." }),
    approvers: Type.Array(Type.String(), {
      description: "Who may decide; nobody named: administrators, and for a permission also who submitted the project.",
    }),
    task_id: Type.Union([Type.String(), Type.Null()], { description: "The task at which an agent asks." }),
    agent_id: Type.Union([Type.String(), Type.Null()], { description: "The agent that asks." }),
    question: Type.Union([Type.String(), Type.Null()], { description: "What the agent wants to do." }),
    status: Type.Enum(["pending", "approved", "denied", "expired", "withdrawn"]),
    created_at: Timestamp("When it was asked for."),
    deadline: Timestamp("Until when; then it is denied."),
    decided_at: OptionalTimestamp("When it was decided."),
    decided_by: Type.Union([Type.String(), Type.Null()], { description: "Who decided: the user's name." }),
    comment: Type.Union([Type.String(), Type.Null()], { description: "What they said." }),
  },
  { description: "A decision that a person makes." },
);
export type Approval = Static<typeof Approval>;
export const ApprovalPage = Page("approvals", Approval, "Approvals, newest first.");

export const DecideApproval = Type.Object(
  {
    decision: Type.Enum(["approve", "deny"], { description: "Whether the project may go on." }),
    comment: Type.Optional(Type.String({ maxLength: 10_000, description: "Why.", examples: ["Looks good."] })),
  },
  { additionalProperties: false },
);

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
      total_hours: Type.Number(),
      duration_hours: Type.Number({ description: "From start to end, with as many tasks at once as are allowed." }),
      parallel_tasks: Type.Integer(),
      critical_path: Type.Object({ tasks: Type.Array(Type.String()), hours: Type.Number() }),
    }),
    environment: Type.Union([Type.String(), Type.Null()]),
    roles: Type.Array(
      Type.Object({
        role: Type.String(),
        capabilities: Type.Array(Type.String(), { description: "What the agent must be able to do." }),
        agent_id: Type.Union([Type.String(), Type.Null()], { description: "Who would fill it now; null: nobody." }),
        availability: Type.Enum(["free", "busy", "unknown"], { description: "Unknown: the project would fail." }),
      }),
    ),
    approvals: Type.Array(
      Type.Object({ gate: Type.Enum(["plan", "deployment"]), approvers: Type.Array(Type.String()) }),
    ),
    secrets: Type.Array(Type.Object({ name: Type.String(), provider: Type.String(), is_found: Type.Boolean() }), {
      description: "Secrets that the document requires.",
    }),
    acceptance: Type.Array(
      Type.Object({
        pointer: Type.String({ description: "Where it stands in the document." }),
        title: Type.String(),
        can_be_verified: Type.Boolean(),
      }),
      { description: "What will be checked." },
    ),
    unmet: Type.Array(Type.Object({ pointer: Type.String(), reason: Type.String() }), {
      description: "What of the document the built-in agent could not honour, were it to build it.",
    }),
    application_id: Type.Union([Id("application", "The application it would be a run of."), Type.Null()], {
      description: "The application it would be a run of; null: it would be the first.",
    }),
    regenerates: Type.Union(
      [
        Type.Object({
          project_id: Type.Union([Type.String(), Type.Null()], { description: "The run whose result it is." }),
          put_at: OptionalTimestamp("When somebody put it; null: it is a result as it went live."),
        }),
        Type.Null(),
      ],
      {
        description:
          "The files that the built-in agent would merge with what it makes, were it to build it; null: there are none.",
      },
    ),
    diagnostics: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: "Warnings and hints." }),
  },
  { description: "What would be done; nothing was created." },
);
