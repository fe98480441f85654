import { listAll } from "@slipway/client";
import type { Approval, Checkpoint, Phase, Project, Task } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import type { Connection } from "../connection/connect.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { subjectOf } from "../follow/ask-approval.ts";
import { printable, printableLines } from "../output/printable.ts";
import { checkCounts, duration } from "../output/quantities.ts";
import { table } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJson } from "../output/to-json.ts";

export async function showProject(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, connection, signal } = context;
  const [projectId = ""] = context.args;
  const call = { params: { project_id: projectId }, signal };
  const project = await client.call("readProject", call);
  const tasks = listAll(
    (query) => client.call("listTasks", { ...call, query }),
    (page) => page.tasks,
  );
  const [{ phases }, allTasks, { checkpoints }, { approvals }] = await Promise.all([
    client.call("listPhases", call),
    Array.fromAsync(tasks),
    client.call("listCheckpoints", call),
    client.call("listApprovals", call),
  ]);
  if (options.json) {
    terminal.out(toJson({ ...project, phases, tasks: allTasks, checkpoints, approvals }));
    return exitCode.ok;
  }
  const { colors } = terminal;
  const sections = [
    [...heading(project, colors), ...liveLines(project, connection, colors)],
    phaseTable(phases, colors),
    taskTable(allTasks, colors),
    checkpointTable(checkpoints, colors),
    approvalTable(approvals, colors),
  ];
  terminal.out(
    sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n"),
  );
  return exitCode.ok;
}

type Colors = Terminal["colors"];

function heading(project: Project, colors: Colors): string[] {
  const { name, project_id, outcome_type, environment, status, progress, current_phase, waiting_for } = project;
  const { error, checks } = project;
  const where = environment === null ? outcome_type : `${outcome_type}, ${environment}`;
  const wait = waiting_for === null ? "" : `, waiting for: ${waiting_for}`;
  return [
    `${colors.bold(printable(name))}  ${colors.dim(`(${printable(where)})`)}  ${project_id}`,
    `${status}, ${Math.floor(progress * 100)} % done, in ${printable(current_phase)}${wait}`,
    ...(checks === null ? [] : [`checks: ${checkCounts(checks)}`]),
    ...(error === null ? [] : [colors.red(`${printableLines(error.message)} [${printable(error.code)}]`)]),
  ];
}

/** What is live of it, how to use it, and how to stop it. */
function liveLines({ deployment, application_id }: Project, { commandLine }: Connection, colors: Colors): string[] {
  if (deployment == null) return [];
  const { environment, status, version, url, usage } = deployment;
  const stop = commandLine("apps", "stop", application_id, "--environment", environment);
  return [
    `${status} in ${printable(environment)}, version ${printable(version)}`,
    ...(url === null && usage === "" ? [] : [`use:  ${colors.cyan(printable(url ?? usage))}`]),
    ...(url === null || status === "stopped" ? [] : [`stop: ${stop}`]),
  ];
}

function phaseTable(phases: readonly Phase[], colors: Colors): string[] {
  if (phases.length === 0) return [];
  const rows = phases.map(({ name, status, tasks_done, tasks }) => [name, status, `${tasks_done} of ${tasks}`]);
  return table(["PHASE", "STATUS", "TASKS"], rows, colors);
}

function taskTable(tasks: readonly Task[], colors: Colors): string[] {
  if (tasks.length === 0) return [];
  const rows = tasks.map(({ task_id, title, status, role, agent_id, attempts, started_at, ended_at }) => [
    task_id,
    title,
    attempts.length > 1 ? `${status} (${attempts.length} attempts)` : status,
    agent_id ?? role,
    started_at !== null && ended_at !== null ? duration(Date.parse(ended_at) - Date.parse(started_at)) : "",
  ]);
  return table(["TASK", "TITLE", "STATUS", "AGENT", "DURATION"], rows, colors);
}

function checkpointTable(checkpoints: readonly Checkpoint[], colors: Colors): string[] {
  if (checkpoints.length === 0) return [];
  const rows = checkpoints.map(({ checkpoint_id, phase, created_at }) => [checkpoint_id, phase, created_at]);
  return table(["CHECKPOINT", "AFTER", "CREATED"], rows, colors);
}

function approvalTable(approvals: readonly Approval[], colors: Colors): string[] {
  if (approvals.length === 0) return [];
  const rows = approvals.map((approval) => [
    approval.approval_id,
    subjectOf(approval),
    approval.status,
    approval.decided_by ?? "",
    approval.comment ?? "",
  ]);
  return table(["APPROVAL", "OF", "STATUS", "BY", "COMMENT"], rows, colors);
}
