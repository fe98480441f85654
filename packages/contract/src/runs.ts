import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Project, ProjectError, projectParams } from "./projects.ts";
import { type Schema, type Static, Type } from "./schema.ts";
import { TotalUsage, Usage } from "./usage.ts";

const Name = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 1000, description, examples: [example] });

const ErrorOrNull = Type.Union([ProjectError, Type.Null()], { description: "Why it failed. Null if it did not." });

export const Phase = Type.Object(
  {
    name: Type.String({ description: "The phase's name.", examples: ["implementation"] }),
    kind: Type.Enum(["planning", "work", "validation", "deployment"], {
      description: "The kind of work in the phase.",
    }),
    status: Type.Enum(["waiting", "running", "verifying", "completed", "failed"], {
      description: "The current status; `failed` where the project failed, or was cancelled, before its end.",
    }),
    depends_on: Type.Array(Type.String(), { description: "The phases that must complete first." }),
    priority: Type.Enum(["critical", "high", "medium", "low"], {
      description: "The priority among phases that are ready.",
    }),
    tasks_done: Type.Integer({ description: "The number of completed tasks." }),
    tasks: Type.Integer({ description: "The number of tasks." }),
    estimated_hours: Type.Number({ description: "The sum of its tasks' estimates." }),
  },
  { description: "A phase of a project." },
);

export type Phase = Static<typeof Phase>;

const PhaseList = Type.Object({ phases: Type.Array(Phase) }, { description: "The phases, in order." });

const TaskAttempt = Type.Object(
  {
    number: Type.Integer({ description: "The attempt's number, from 1." }),
    agent_id: Type.String({ description: "The agent of the attempt." }),
    queued_at: Timestamp("When the attempt was queued for the agent."),
    started_at: OptionalTimestamp("When the agent started."),
    ended_at: OptionalTimestamp("When the attempt ended."),
    outcome: Type.Enum(["completed", "failed", "running", "queued"], {
      description: "The outcome, or the current status.",
    }),
    error: ErrorOrNull,
    usage: Usage,
  },
  { description: "An attempt at a task." },
);

export const Task = Type.Object(
  {
    task_id: Type.String({ description: "The task's id in the document, or a slug of its title." }),
    title: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    phase: Type.String({ description: "The task's phase." }),
    role: Type.String({ description: "The role that performs the task." }),
    status: Type.Enum(["waiting", "queued", "running", "completed", "failed"], { description: "The current status." }),
    agent_id: StringOrNull("The agent that runs the task, or ran it."),
    depends_on: Type.Array(Type.String(), { description: "The tasks that must complete first." }),
    estimated_hours: Type.Number(),
    serves: Type.Array(Type.String(), {
      description: "The acceptance lines the task contributes to, as JSON Pointers.",
    }),
    queued_at: OptionalTimestamp("When the latest attempt was queued for the agent."),
    started_at: OptionalTimestamp("When the latest attempt started."),
    ended_at: OptionalTimestamp("When the latest attempt ended."),
    attempts: Type.Array(TaskAttempt, { description: "Every attempt, oldest first." }),
  },
  { description: "A task of a project." },
);

export type Task = Static<typeof Task>;

const taskPage = Page("tasks", Task, "The tasks, in an executable order.");

const TaskPage = Type.Object(
  {
    ...taskPage.properties,
    usage: Type.Object(TotalUsage.properties, { description: "The usage of all tasks of the project." }),
  },
  { description: "The tasks, in an executable order." },
);

export const Checkpoint = Type.Object(
  {
    checkpoint_id: Id("checkpoint", "The checkpoint's id."),
    phase: Type.String({ description: "The phase that ended with this checkpoint." }),
    commit: StringOrNull("The workspace's commit. Null if there is no code yet."),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    created_at: Timestamp("When the checkpoint was created."),
  },
  { description: "The end of a phase; the project can be rolled back to it." },
);

export type Checkpoint = Static<typeof Checkpoint>;

const CheckpointPage = Page("checkpoints", Checkpoint, "Checkpoints, newest first.");

const RestartProject = Type.Object(
  { from_phase: Name("The phase to restart from. Everything that depends on it runs again, too.", "implementation") },
  { additionalProperties: false },
);

const RollbackProject = Type.Object(
  { checkpoint: Id("checkpoint", "The checkpoint to roll back to.") },
  { additionalProperties: false },
);

const RetryTask = Type.Object(
  {
    task_id: Name("The task to retry.", "build-hello"),
    downstream: Type.Optional(
      Type.Boolean({ default: false, description: "Also rerun every task that depends on it." }),
    ),
  },
  { additionalProperties: false },
);

const priorities = ["low", "medium", "high", "critical"] as const;

const AssignAgent = Type.Object(
  {
    agent_id: Name("The agent to assign to the role.", "agent_01kaw3v9t2h5m8q1x7zc"),
    capabilities: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 100,
        description: "The capabilities the agent must have. The service refuses an agent without them.",
        examples: [["typescript"]],
      }),
    ),
    priority: Type.Optional(
      Type.Enum([...priorities], { default: "medium", description: "The priority in the agent's queue." }),
    ),
  },
  { additionalProperties: false },
);

const RoleAssignment = Type.Object(
  {
    project_id: Id("project", "The project."),
    role: Type.String({ description: "The role." }),
    agent_id: Type.String({ description: "The agent that fills the role." }),
    capabilities: Type.Array(Type.String(), { description: "The agent's capabilities." }),
    priority: Type.Enum([...priorities], { description: "The priority in the agent's queue." }),
    assigned_at: Timestamp("When the role was assigned."),
  },
  { description: "The assignment of an agent to a role." },
);

const read = { method: "GET", tag: "Runs", access: withScope("projects:read"), params: projectParams } as const;

/** A command to a project: returns the changed project, or 409 with the reason it is not possible now. */
const command = {
  method: "POST",
  tag: "Runs",
  access: withScope("projects:manage"),
  params: projectParams,
  success: [{ status: 200, description: "The project after the command.", schema: Project }],
} as const;

function simpleCommand<const Path extends string>(path: Path, summary: string) {
  return endpoint({
    ...command,
    path: `/api/v1/projects/{project_id}/${path}` as const,
    summary,
    problems: ["not_found", "conflict"],
  });
}

function commandWith<const Path extends string, Body extends Schema>(path: Path, summary: string, body: Body) {
  return endpoint({
    ...command,
    path: `/api/v1/projects/{project_id}/${path}` as const,
    summary,
    body,
    problems: ["not_found", "conflict", "invalid_body"],
  });
}

/** Runs: the phases, tasks and plan of a project, and the commands that control it. */
export const runEndpoints = {
  listPhases: endpoint({
    ...read,
    path: "/api/v1/projects/{project_id}/phases",
    summary: "List the phases of a project, in order",
    isVersioned: true,
    success: [{ status: 200, description: "The phases.", schema: PhaseList }],
    problems: ["not_found"],
  }),
  listTasks: endpoint({
    ...read,
    path: "/api/v1/projects/{project_id}/tasks",
    summary: "List the tasks of a project, with their attempts",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of tasks.", schema: TaskPage }],
    isVersioned: true,
    problems: ["not_found"],
  }),
  listCheckpoints: endpoint({
    ...read,
    path: "/api/v1/projects/{project_id}/checkpoints",
    summary: "List the checkpoints of a project, newest first",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of checkpoints.", schema: CheckpointPage }],
    isVersioned: true,
    problems: ["not_found"],
  }),
  readPlan: endpoint({
    ...read,
    path: "/api/v1/projects/{project_id}/plan",
    summary: "Read the plan of a project as YAML",
    isVersioned: true,
    success: [
      { status: 200, description: "The plan in the format of `tasks.yaml`.", mediaTypes: ["application/yaml"] },
    ],
    problems: ["not_found", "conflict"],
  }),
  editPlan: endpoint({
    method: "PUT",
    path: "/api/v1/projects/{project_id}/plan",
    tag: "Runs",
    summary: "Replace the plan of a project that waits for plan approval",
    description: "The body is a `tasks.yaml`. Possible only while the project waits for approval of its plan.",
    access: withScope("projects:manage"),
    params: projectParams,
    takesDocument: true,
    isPlan: true,
    success: [{ status: 200, description: "The new plan.", mediaTypes: ["application/yaml"] }],
    problems: ["not_found", "conflict", "invalid_yaml", "invalid_document"],
  }),
  cancelProject: simpleCommand("cancel", "Cancel a project; it ends as failed"),
  pauseProject: simpleCommand("pause", "Pause a project; running tasks finish, no new ones start"),
  resumeProject: simpleCommand("resume", "Resume a paused project"),
  restartProject: commandWith("restart", "Restart a project from a phase", RestartProject),
  rollbackProject: commandWith("rollback", "Roll a project back to a checkpoint, both code and state", RollbackProject),
  retryTask: commandWith("retry", "Retry a task of a failed project", RetryTask),
  startDebugging: simpleCommand("debug/start", "Start debugging: stop before each task"),
  stepDebugging: simpleCommand("debug/step", "Let one task start"),
  continueDebugging: simpleCommand("debug/continue", "Continue without stopping until debugging starts again"),
  stopDebugging: simpleCommand("debug/stop", "Stop debugging"),
  assignAgent: endpoint({
    method: "PUT",
    path: "/api/v1/projects/{project_id}/agents/{role}",
    tag: "Runs",
    summary: "Assign an agent to a role of a project",
    description:
      "Applies from the role's next task. A running task moves only with `reassign_running=true`, and then starts again.",
    access: withScope("projects:manage"),
    params: Type.Object({
      project_id: Id("project", "The project's id."),
      role: Type.String({ minLength: 1, maxLength: 200, description: "The role.", examples: ["implementer"] }),
    }),
    query: query({
      reassign_running: Type.Optional(Type.Boolean({ default: false, description: "Also move running tasks." })),
    }),
    body: AssignAgent,
    success: [{ status: 200, description: "The assignment.", schema: RoleAssignment }],
    problems: ["not_found", "conflict", "invalid_body", "no_agents_available"],
  }),
} as const;
