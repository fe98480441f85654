import { type CallOptions, hasEnded } from "@slipway/client";
import type { Project } from "@slipway/contract";
import { findAgent } from "../agents/find-agent.ts";
import { type ServiceContext, textOf } from "../command.ts";
import { adviseToServe } from "../connection/run-on-service.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";

type Priority = NonNullable<CallOptions<"assignAgent">["body"]["priority"]>;

export async function cancelProject(context: ServiceContext): Promise<ExitCode> {
  return report(context, await context.client.call("cancelProject", about(context)), "is cancelled");
}

export async function pauseProject(context: ServiceContext): Promise<ExitCode> {
  return report(context, await context.client.call("pauseProject", about(context)), "is paused");
}

export async function resumeProject(context: ServiceContext): Promise<ExitCode> {
  return report(context, await context.client.call("resumeProject", about(context)), "is resumed");
}

export async function restartProject(context: ServiceContext): Promise<ExitCode> {
  const body = { from_phase: textOf(context.options, "fromPhase")! };
  const project = await context.client.call("restartProject", { ...about(context), body });
  const { current_phase: current } = project;
  // What a phase depends on is not left out.
  const isThere = current === body.from_phase;
  return report(context, project, isThere ? `is restarted from ${current}` : `goes on before ${body.from_phase}`);
}

export async function rollbackProject(context: ServiceContext): Promise<ExitCode> {
  const body = { checkpoint: textOf(context.options, "checkpoint")! };
  const project = await context.client.call("rollbackProject", { ...about(context), body });
  return report(context, project, `is rolled back to ${body.checkpoint}`);
}

export async function retryTask(context: ServiceContext): Promise<ExitCode> {
  const { client, options } = context;
  const failed = async () => {
    const { error } = await client.call("readProject", about(context));
    if (error?.task_id === undefined) throw noFailedTask(context, error?.phase);
    return error.task_id;
  };
  const taskId = textOf(options, "taskId") ?? (await failed());
  const body = { task_id: taskId, downstream: options["downstream"] === true };
  return report(context, await client.call("retryTask", { ...about(context), body }), `retries ${taskId}`);
}

export async function reassignRole(context: ServiceContext): Promise<ExitCode> {
  const { client, options } = context;
  // Unchecked: the service knows which priorities are valid.
  const priority = textOf(options, "priority") as Priority | undefined;
  const assigned = await client.call("assignAgent", {
    params: { ...about(context).params, role: textOf(options, "role")! },
    query: { reassign_running: options["reassignRunning"] === true },
    body: {
      agent_id: await findAgent(context, textOf(options, "agentId")!),
      ...(priority !== undefined && { priority }),
    },
    signal: context.signal,
  });
  print(context, assigned, () => `${printable(assigned.role)}: ${printable(assigned.agent_id)}`);
  return exitCode.ok;
}

export async function deleteProject(context: ServiceContext): Promise<ExitCode> {
  const { params, signal } = about(context);
  await context.client.call("deleteProject", { params, signal });
  print(context, { ...params, deleted: true }, () => `${params.project_id} is deleted`);
  return exitCode.ok;
}

function noFailedTask({ connection, args: [projectId = ""] }: ServiceContext, phase = "planning"): CommandError {
  const restart = connection.commandLine("projects", "restart", projectId, "--from-phase", phase);
  return new CommandError(exitCode.refused, `no task failed the project: name one with --task-id, or run '${restart}'`);
}

function about({ args: [projectId = ""], signal }: ServiceContext) {
  return { params: { project_id: projectId }, signal };
}

/** Prints the changed project; for people, what happened to it. */
function report(context: ServiceContext, project: Project, what: string): ExitCode {
  const { project_id, status, current_phase } = project;
  print(context, project, () => `${project_id} ${printable(what)} (${status}, ${printable(current_phase)})`);
  if (!hasEnded(project)) adviseToServe(context, "continue the project");
  return exitCode.ok;
}
