import { type Static, type TSchema, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Project, ProjectError, projectParams } from "./projects.ts";
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

const PhaseList = Type.Object({ phases: Type.Array(Phase) }, { description: "The phases, in order." });

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
    agent_id: StringOrNull("Who is at it, or did it."),
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

const TaskPage = Type.Object(
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
    commit: StringOrNull("The workspace's commit; null: nothing was made yet."),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    created_at: Timestamp("When it was made."),
  },
  { description: "The end of a phase, to which the project can be rolled back." },
);

export type Checkpoint = Static<typeof Checkpoint>;

const CheckpointPage = Page("checkpoints", Checkpoint, "Checkpoints, newest first.");

const RestartProject = Type.Object(
  { from_phase: Name("The phase to start over from; all that depends on it is done again too.", "implementation") },
  { additionalProperties: false },
);

const RollbackProject = Type.Object(
  { checkpoint: Id("checkpoint", "The checkpoint to go back to.") },
  { additionalProperties: false },
);

const RetryTask = Type.Object(
  {
    task_id: Name("The task to try again.", "build-hello"),
    downstream: Type.Optional(
      Type.Boolean({ default: false, description: "Also do everything again that depends on it." }),
    ),
  },
  { additionalProperties: false },
);

const priorities = ["low", "medium", "high", "critical"] as const;

const AssignAgent = Type.Object(
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

const RoleAssignment = Type.Object(
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

const read = { method: "GET", tag: "Runs", access: withScope("projects:read"), params: projectParams } as const;

/** A command to a project: it answers the project as it is then, or 409 with the reason why it cannot be done now. */
const command = {
  method: "POST",
  tag: "Runs",
  access: withScope("projects:manage"),
  params: projectParams,
  success: [{ status: 200, description: "The project as it is now.", schema: Project }],
} as const;

function simpleCommand<const Path extends string>(path: Path, summary: string) {
  return endpoint({
    ...command,
    path: `/api/v1/projects/{project_id}/${path}` as const,
    summary,
    problems: ["not_found", "conflict"],
  });
}

function commandWith<const Path extends string, Body extends TSchema>(path: Path, summary: string, body: Body) {
  return endpoint({
    ...command,
    path: `/api/v1/projects/{project_id}/${path}` as const,
    summary,
    body,
    problems: ["not_found", "conflict", "invalid_body"],
  });
}

/** Everything about how a project is carried out: reading it, and taking a hand in it. */
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
    summary: "List the tasks of a project, with every attempt at them",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of tasks.", schema: TaskPage }],
    problems: ["not_found"],
  }),
  listCheckpoints: endpoint({
    ...read,
    path: "/api/v1/projects/{project_id}/checkpoints",
    summary: "List the checkpoints of a project, newest first",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of checkpoints.", schema: CheckpointPage }],
    problems: ["not_found"],
  }),
  readPlan: endpoint({
    ...read,
    path: "/api/v1/projects/{project_id}/plan",
    summary: "Read the plan of a project, as YAML",
    isVersioned: true,
    success: [{ status: 200, description: "The tasks, as in `tasks.yaml`.", mediaTypes: ["application/yaml"] }],
    problems: ["not_found", "conflict"],
  }),
  editPlan: endpoint({
    method: "PUT",
    path: "/api/v1/projects/{project_id}/plan",
    tag: "Runs",
    summary: "Change the plan of a project while it waits for approval",
    description: "The body is a `tasks.yaml`. Possible while the project waits for its plan to be approved.",
    access: withScope("projects:manage"),
    params: projectParams,
    takesDocument: true,
    isPlan: true,
    success: [{ status: 200, description: "The plan that holds now.", mediaTypes: ["application/yaml"] }],
    problems: ["not_found", "conflict", "invalid_yaml", "invalid_document"],
  }),
  cancelProject: simpleCommand("cancel", "Cancel a project: it ends as failed"),
  pauseProject: simpleCommand("pause", "Pause a project: what runs is finished, nothing new begins"),
  resumeProject: simpleCommand("resume", "Resume a paused project"),
  restartProject: commandWith("restart", "Start a project over from a phase", RestartProject),
  rollbackProject: commandWith(
    "rollback",
    "Take a project back to a checkpoint, code and state together",
    RollbackProject,
  ),
  retryTask: commandWith("retry", "Try a task of a failed project again", RetryTask),
  startDebugging: simpleCommand("debug/start", "Stop before each task from now on"),
  stepDebugging: simpleCommand("debug/step", "Let one task begin"),
  continueDebugging: simpleCommand("debug/continue", "Run on, until debugging is started anew"),
  stopDebugging: simpleCommand("debug/stop", "End debugging"),
  assignAgent: endpoint({
    method: "PUT",
    path: "/api/v1/projects/{project_id}/agents/{role}",
    tag: "Runs",
    summary: "Fill a role of a project with an agent",
    description:
      "Holds from the role's next task on. A task that runs moves only with `reassign_running=true`; it then begins again.",
    access: withScope("projects:manage"),
    params: Type.Object({
      project_id: Id("project", "The project's id."),
      role: Type.String({ minLength: 1, maxLength: 200, description: "The role.", examples: ["implementer"] }),
    }),
    query: query({
      reassign_running: Type.Optional(Type.Boolean({ default: false, description: "Also move tasks that run." })),
    }),
    body: AssignAgent,
    success: [{ status: 200, description: "Who fills the role.", schema: RoleAssignment }],
    problems: ["not_found", "conflict", "invalid_body", "no_agents_available"],
  }),
} as const;
