import { type CallOptions, hasEnded } from "@slipway/client";
import type { Project } from "@slipway/contract";
import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { printable } from "../printable.ts";
import type { Context } from "./context.ts";
import { toJson } from "./to-json.ts";

type Priority = NonNullable<CallOptions<"assignAgent">["body"]["priority"]>;

export async function cancelProject(context: Context): Promise<ExitCode> {
  return say(context, await context.client.call("cancelProject", about(context)), "is cancelled");
}

export async function pauseProject(context: Context): Promise<ExitCode> {
  return say(context, await context.client.call("pauseProject", about(context)), "is paused");
}

export async function resumeProject(context: Context): Promise<ExitCode> {
  return say(context, await context.client.call("resumeProject", about(context)), "goes on");
}

export async function restartProject(context: Context): Promise<ExitCode> {
  const body = { from_phase: textOf(context.options, "fromPhase")! };
  const project = await context.client.call("restartProject", { ...about(context), body });
  return say(context, project, `starts over from ${body.from_phase}`);
}

export async function rollbackProject(context: Context): Promise<ExitCode> {
  const body = { checkpoint: textOf(context.options, "checkpoint")! };
  const project = await context.client.call("rollbackProject", { ...about(context), body });
  return say(context, project, `is back at ${body.checkpoint}`);
}

export async function retryTask(context: Context): Promise<ExitCode> {
  const { client, options } = context;
  const failed = async () => (await client.call("readProject", about(context))).error?.task_id;
  const taskId = textOf(options, "taskId") ?? (await failed());
  if (taskId === undefined) throw new UsageError("no task failed the project: say which with --task-id");
  const body = { task_id: taskId, downstream: options["downstream"] === true };
  return say(context, await client.call("retryTask", { ...about(context), body }), `tries ${taskId} again`);
}

export async function reassignRole(context: Context): Promise<ExitCode> {
  const { client, options, terminal, projectId } = context;
  // Whether there is such a priority, the service knows.
  const priority = textOf(options, "priority") as Priority | undefined;
  const assigned = await client.call("assignAgent", {
    params: { project_id: projectId, role: textOf(options, "role")! },
    query: { reassign_running: options["reassignRunning"] === true },
    body: { agent_id: textOf(options, "agentId")!, ...(priority !== undefined && { priority }) },
    signal: context.signal,
  });
  terminal.out(options.json ? toJson(assigned) : `${printable(assigned.role)}: ${printable(assigned.agent_id)}`);
  return exitCode.ok;
}

export async function deleteProject(context: Context): Promise<ExitCode> {
  await context.client.call("deleteProject", about(context));
  if (context.options.json) context.terminal.out(toJson({ project_id: context.projectId, deleted: true }));
  else context.terminal.out(`${context.projectId} is deleted`);
  return exitCode.ok;
}

function about({ projectId, signal }: Context) {
  return { params: { project_id: projectId }, signal };
}

/** The project as it is now; for people what has become of it. */
function say({ terminal, options, connection }: Context, project: Project, what: string): ExitCode {
  const { project_id, status, current_phase } = project;
  terminal.out(
    options.json ? toJson(project) : `${project_id} ${printable(what)} (${status}, ${printable(current_phase)})`,
  );
  if (connection.service !== undefined && !hasEnded(project))
    terminal.err(
      `No service runs on ${connection.dataFolder}. The project goes on with: ${connection.commandLine("serve")}`,
    );
  return exitCode.ok;
}
