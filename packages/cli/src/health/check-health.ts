import { listAll } from "@slipway/client";
import type { ProjectHealth } from "@slipway/contract";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { count } from "../output/quantities.ts";
import { table } from "../output/table.ts";

/** Checks the service and the latest run of each application. */
export async function checkHealth(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const { status } = await client.call("readReadiness", { signal });
  const pages = listAll(
    (query) => client.call("listProjectHealth", { query: { ...query, limit: 100 }, signal }),
    (page) => page.projects,
  );
  const wanted = textOf(options, "projectId");
  const all = await Array.fromAsync(pages);
  const projects = wanted === undefined ? all : all.filter(({ project_id }) => project_id === wanted);
  if (wanted !== undefined && projects.length === 0)
    throw new CommandError(exitCode.notFound, `${wanted} is not the latest run of an application that you may read`);
  const unwell = projects.filter(isUnwell);
  const result = { service: status, healthy: unwell.length === 0, projects };
  print(context, result, () =>
    [...lines(projects, terminal.colors), "", summary(projects, unwell)].join("\n").trimStart(),
  );
  return unwell.length === 0 ? exitCode.ok : exitCode.failed;
}

function isUnwell({ health }: ProjectHealth): boolean {
  return health !== "well" && health !== "waiting";
}

function lines(projects: readonly ProjectHealth[], colors: ServiceContext["terminal"]["colors"]): string[] {
  if (projects.length === 0) return [];
  const rows = projects.map(({ project_id, name, status, health, reason }) => [
    ...[health, project_id, name, status],
    (reason ?? "").split("\n")[0]!,
  ]);
  return table(["HEALTH", "PROJECT", "NAME", "STATUS", "REASON"], rows, colors);
}

function summary(projects: readonly ProjectHealth[], unwell: readonly ProjectHealth[]): string {
  const whole = count(projects.length, "application");
  return unwell.length === 0 ? `The service is ready; ${whole}, all well.` : `${unwell.length} of ${whole} unwell.`;
}
