import type { Deployment, Release } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { showLogs } from "../logs/show-logs.ts";
import { print } from "../output/print.ts";
import { printable, printableLines } from "../output/printable.ts";
import { checkCounts } from "../output/quantities.ts";
import { table } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { findApplication, findDeployment } from "./find-app.ts";

export async function showApp(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const application_id = await findApplication(context);
  const application = await client.call("readApplication", { params: { application_id }, signal });
  const chosen = textOf(options, "environment");
  const names = chosen === undefined ? application.deployments.map(({ deployment_id }) => deployment_id) : [chosen];
  const deployments = await Promise.all(
    names.map((environment) => client.call("readDeployment", { params: { application_id, environment }, signal })),
  );
  print(context, { ...application, deployments }, () => {
    const { colors } = terminal;
    const heading = `${colors.bold(printable(application.document_id))}  ${application_id}`;
    if (deployments.length === 0) return `${heading}\nnot deployed`;
    const sections = deployments.map((one) => [...summary(one, colors), "", ...versions(one.releases, colors)]);
    return [heading, ...sections.map((lines) => lines.join("\n"))].join("\n\n");
  });
  return exitCode.ok;
}

/** Prints where the application is, or how it is used; opens it where somebody sits before the terminal. */
export async function openApp(context: ServiceContext): Promise<ExitCode> {
  const { terminal, options, connection } = context;
  const { deployment, params } = await findDeployment(context);
  const { url, usage, status, environment } = deployment;
  print(context, { url, usage, status }, () => printable(url ?? usage));
  if (status === "stopped") {
    const words = ["apps", "start", params.application_id, "--environment", environment];
    terminal.err(`It is stopped. To start it: ${connection.commandLine(...words)}`);
  } else if (url !== null && !options.json) terminal.browse?.(url);
  return exitCode.ok;
}

export async function showAppLogs(context: ServiceContext): Promise<ExitCode> {
  const { deployment } = await findDeployment(context);
  const projectId = deployment.release?.project_id;
  if (projectId === undefined) throw new CommandError(exitCode.notFound, "no version of it is live");
  // Of no task: when it was verified, the program was started, too.
  return showLogs({ ...context, args: [projectId], options: { ...context.options, service: "app", task: "" } });
}

type Colors = Terminal["colors"];

function summary({ environment, status, reason, url, usage, replicas, release }: Deployment, colors: Colors): string[] {
  const paint = { live: colors.green, unhealthy: colors.red, starting: colors.yellow, stopped: colors.dim }[status];
  const copies = replicas === 1 ? "" : `, ${replicas} copies`;
  const version = release === null ? "" : `, version ${printable(release.version)}${copies}`;
  return [
    `${printable(environment)}: ${paint(status)}${version}`,
    ...(reason === null ? [] : [colors.red(printableLines(reason))]),
    ...(url === null ? [] : [colors.cyan(printable(url))]),
    ...(url === null && usage !== "" ? [printable(usage)] : []),
  ];
}

function versions(releases: readonly Release[], colors: Colors): string[] {
  const rows = releases.map(
    ({ number, release_id, version, status, project_id, checks, traffic, error, created_at }) => [
      String(number),
      release_id,
      version,
      error === null ? status : `${status}: ${printable(error, 80)}`,
      checks === null ? "" : checkCounts(checks),
      traffic === null ? "" : `${traffic.requests} (${traffic.failed} failed, ${traffic.dropped} dropped)`,
      project_id,
      created_at,
    ],
  );
  return table(["NO", "RELEASE", "VERSION", "STATUS", "CHECKS", "REQUESTS", "PROJECT", "CREATED"], rows, colors);
}
