import { type TProperties, type TSchema, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";
import { pageQuery } from "./paging.ts";
import { Project } from "./projects.ts";
import {
  Approval,
  ApprovalPage,
  AssignAgent,
  CheckpointPage,
  DecideApproval,
  PhaseList,
  RestartProject,
  RetryTask,
  RoleAssignment,
  RollbackProject,
  TaskPage,
} from "./runs.ts";

const projectParams = Type.Object({ project_id: Id("project", "The project's id.") });
const query = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

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
  listApprovals: endpoint({
    ...read,
    path: "/api/v1/projects/{project_id}/approvals",
    summary: "List the approvals of a project, newest first",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of approvals.", schema: ApprovalPage }],
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
  deleteProject: endpoint({
    method: "DELETE",
    path: "/api/v1/projects/{project_id}",
    aliases: ["/v1/projects/{project_id}"],
    tag: "Projects",
    summary: "Delete a project that has ended and is not live",
    access: withScope("projects:manage"),
    params: projectParams,
    success: [{ status: 204, description: "It is gone." }],
    problems: ["not_found", "conflict"],
  }),
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
  decideApproval: endpoint({
    method: "POST",
    path: "/api/v1/approvals/{approval_id}",
    tag: "Runs",
    summary: "Approve, or deny",
    access: withScope("approvals:decide"),
    params: Type.Object({ approval_id: Id("approval", "The approval's id.") }),
    body: DecideApproval,
    success: [{ status: 200, description: "The decision.", schema: Approval }],
    problems: ["not_found", "forbidden", "conflict", "invalid_body"],
  }),
} as const;
