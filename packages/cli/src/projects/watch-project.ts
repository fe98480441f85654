import { type ServiceContext, textOf } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { followProject } from "../follow/follow-project.ts";
import { printerFor } from "../follow/printer.ts";
import { exitCodeOf } from "../follow/verdict.ts";
import { WaitLimit } from "../follow/wait-limit.ts";

/** Follows a project to its end. */
export async function watchProject(context: ServiceContext): Promise<ExitCode> {
  const { terminal, connection, client, interruption, options } = context;
  const [projectId = ""] = context.args;
  const limit = new WaitLimit(interruption, textOf(options, "timeout"));
  const printer = printerFor({ terminal, connection, projectId }, options);
  const signal = connection.service ? AbortSignal.any([limit.signal, connection.service.lost]) : limit.signal;
  try {
    const { project } = await followProject({ client, printer, signal }, projectId);
    return exitCodeOf(project);
  } catch (error) {
    throw limit.explain(connection, projectId) ?? error;
  }
}
