import type { Deployment } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable, printableLines } from "../output/printable.ts";
import { findDeployment } from "./find-app.ts";

export async function stopApp(context: ServiceContext): Promise<ExitCode> {
  return report(context, await context.client.call("stopDeployment", await about(context)));
}

export async function startApp(context: ServiceContext): Promise<ExitCode> {
  return report(context, await context.client.call("startDeployment", await about(context)));
}

export async function restartApp(context: ServiceContext): Promise<ExitCode> {
  return report(context, await context.client.call("restartDeployment", await about(context)));
}

export async function rollBackApp(context: ServiceContext): Promise<ExitCode> {
  const { client, options } = context;
  const [release, reason] = [textOf(options, "release"), textOf(options, "reason")];
  const body = { ...(release !== undefined && { release_id: release }), ...(reason !== undefined && { reason }) };
  return report(context, await client.call("rollBackDeployment", { ...(await about(context)), body }));
}

export async function scaleApp(context: ServiceContext): Promise<ExitCode> {
  const { client, options } = context;
  // Unchecked beyond this: the service knows how many there may be.
  const body = { replicas: Number(textOf(options, "replicas")) };
  return report(context, await client.call("scaleDeployment", { ...(await about(context)), body }));
}

async function about(context: ServiceContext) {
  const { params } = await findDeployment(context);
  return { params, signal: context.signal };
}

/** Prints the changed deployment; for people, how it is now. */
function report(context: ServiceContext, deployment: Deployment): ExitCode {
  const { application_id, environment, status, release, url, replicas, reason } = deployment;
  print(context, deployment, () => {
    const where = status === "live" && url !== null ? ` at ${printable(url)}` : "";
    const copies = replicas === 1 ? "" : `, ${replicas} copies`;
    const version = release === null ? "" : ` (version ${printable(release.version)}${copies})`;
    const why = reason === null ? "" : `: ${printableLines(reason)}`;
    return `${application_id} ${printable(environment)} is ${status}${where}${version}${why}`;
  });
  return status === "unhealthy" ? exitCode.failed : exitCode.ok;
}
