import { watchLogs } from "@slipway/client";
import type { LogPage, ServiceLog } from "@slipway/contract";
import { type Options, type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable, withoutOrders } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJsonLine } from "../output/to-json.ts";

type Line = LogPage["lines"][number];
type ServiceLine = ServiceLog["lines"][number];

/** Prints the last lines of a project's log or of the service's own log; with `--follow` also new lines. */
export async function showLogs(context: ServiceContext): Promise<ExitCode> {
  const [projectId] = context.args;
  return projectId === undefined ? showServiceLog(context) : showProjectLog(context, projectId);
}

async function showProjectLog({ client, terminal, options, signal }: ServiceContext, projectId: string) {
  const task = textOf(options, "task");
  const query = {
    ...shared(options),
    ...(task !== undefined && { task }),
    ...(options["agentId"] && { agent: textOf(options, "agentId")! }),
    ...(options["contains"] && { contains: textOf(options, "contains")! }),
  };
  const print = (lines: readonly Line[]) => {
    for (const line of lines) terminal.out(options.json ? toJsonLine(line) : forPeople(terminal, line));
  };
  if (options["follow"]) for await (const lines of watchLogs(client, projectId, { query, signal })) print(lines);
  print((await client.call("readLogs", { params: { project_id: projectId }, query, signal })).lines);
  return exitCode.ok;
}

async function showServiceLog({ client, terminal, options, signal }: ServiceContext): Promise<ExitCode> {
  const { lines } = await client.call("readServiceLog", { query: shared(options), signal });
  for (const line of lines) terminal.out(options.json ? toJsonLine(line) : serviceLine(terminal, line));
  return exitCode.ok;
}

/** Unchecked: the service knows which values are valid, and refuses the others. */
function shared(options: Options): { service?: string; tail?: number } {
  const [service, tail] = [textOf(options, "service"), textOf(options, "tail")];
  return { ...(service !== undefined && { service }), ...(tail !== undefined && { tail: tail as unknown as number }) };
}

function forPeople({ colors }: Terminal, { at, source, task_id, text }: Line): string {
  const who = task_id === "" ? source : `${source} ${printable(task_id, 40)}`;
  return `${colors.dim(`${timeOf(at)} ${who}`)} ${printable(withoutOrders(text), 100_000)}`;
}

function serviceLine({ colors }: Terminal, { at, level, service, text, detail }: ServiceLine): string {
  const about = Object.keys(detail).length === 0 ? "" : ` ${colors.dim(printable(JSON.stringify(detail), 400))}`;
  return `${colors.dim(`${timeOf(at)} ${service}`)} ${level} ${printable(text, 2_000)}${about}`;
}

function timeOf(at: string): string {
  return at.slice(11, 19);
}
