import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { takeTo } from "../projects/deploy-project.ts";
import { findDeployment } from "./find-app.ts";

/** Deploys what is live in one environment to another. */
export async function promoteApp(context: ServiceContext): Promise<ExitCode> {
  const { deployment } = await findDeployment(context);
  const { release, environment } = deployment;
  if (release === null)
    throw new CommandError(exitCode.refused, `nothing is live in '${printable(environment)}' that could be promoted`);
  return takeTo(context, release.project_id, textOf(context.options, "to")!);
}
