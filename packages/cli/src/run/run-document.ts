import type { Connection, ConnectionOptions } from "../connection/connect.ts";
import { dashboardLink } from "../connection/dashboard-link.ts";
import type { EmbeddedService } from "../connection/embedded-service.ts";
import { endService } from "../connection/end-service.ts";
import { explainError } from "../connection/explain-error.ts";
import { Interruption } from "../connection/interruption.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { followProject } from "../follow/follow-project.ts";
import { printerFor } from "../follow/printer.ts";
import { exitCodeOf, isFullyChecked } from "../follow/verdict.ts";
import { WaitLimit } from "../follow/wait-limit.ts";
import type { Terminal } from "../output/terminal.ts";
import { withoutCommands } from "../output/workflow-command.ts";
import { readOneDocument } from "../validate/read-one-document.ts";
import { checkAndConnect } from "./check-and-connect.ts";
import { followPromotions } from "./follow-promotions.ts";
import { foresee, tellForeseen } from "./foresee.ts";

export interface RunOptions extends ConnectionOptions {
  readonly environment?: string;
  readonly outcomeType?: readonly string[];
  /** A folder to upload first. */
  readonly source?: string;
  /** The team to share it with. */
  readonly team?: string;
  readonly reviewPlan?: true;
  /** Unsupported requests and unchecked lines fail the command. */
  readonly strict?: true;
  readonly json?: true;
  readonly exitWhenDone?: true;
  readonly timeout?: string;
  readonly annotate?: "github";
}

/** Submits a document and follows the project to its end. */
export async function runDocument(given: Terminal, file: string, options: RunOptions): Promise<ExitCode> {
  const terminal = options.annotate === undefined || options.json ? given : withoutCommands(given);
  const source = await readOneDocument(terminal, file, "run");
  if ("code" in source) return source.code;
  const document = new Uint8Array(source.bytes);
  // Not earlier: Ctrl-C while the user types a document must exit at once.
  const interruption = new Interruption(terminal);
  const limit = new WaitLimit(interruption, options.timeout);
  let connection: Connection | undefined;
  let projectId: string | undefined;
  try {
    const connected = await checkAndConnect(terminal, source, options, limit.signal);
    if ("code" in connected) return connected.code;
    ({ connection } = connected);
    printAddress(terminal, connection);
    const signal = connection.service ? AbortSignal.any([limit.signal, connection.service.lost]) : limit.signal;
    if (options.source !== undefined) {
      const { putSourceOf } = await import("../source/transfer-source.ts");
      const context = { client: connection.client, terminal, signal };
      await putSourceOf(context, document, options, options.source);
    }
    const foreseen = await (connected.foreseeing ?? foresee(connection, { document, options, signal }));
    tellForeseen(terminal, foreseen, options);
    const { unmet } = foreseen;
    projectId = await submit(connection, document, options, signal);
    await printLink(terminal, connection, projectId, signal);
    const isStopping = connection.service?.leavesDeployed === false && options.exitWhenDone === true;
    const printer = printerFor({ terminal, connection, projectId, unmet, isStopping }, options);
    const { project, last } = await followProject({ client: connection.client, printer, signal }, projectId);
    if (options.annotate !== undefined) {
      const { annotateProject } = await import("../follow/annotate-lines.ts");
      await annotateProject({ client: connection.client, terminal: given, signal }, project, file);
    }
    const following = { connection, terminal, signal, isJson: options.json === true };
    const isEverywhere = project.status !== "deployed" || (await followPromotions(following, projectId, last));
    await waitForInterruption(terminal, connection, interruption, options);
    const code = exitCodeOf(project);
    const isComplete = unmet.length === 0 && isFullyChecked(project) && isEverywhere;
    return options.strict && !isComplete && code === exitCode.ok ? exitCode.failed : code;
  } catch (error) {
    throw limit.explain(connection, projectId) ?? explainError(terminal, error, options);
  } finally {
    terminal.live(connection?.service && "stopping the service");
    await endService(terminal, connection);
  }
}

function printAddress(terminal: Terminal, { client, service, dataFolder }: Connection): void {
  terminal.live(undefined);
  const prefix = service ? `Started a service on ${dataFolder}` : "Using the service";
  terminal.err(terminal.colors.dim(`${prefix} at ${client.url}`));
}

async function printLink(
  { isLive, err, colors }: Terminal,
  { client }: Connection,
  projectId: string,
  signal: AbortSignal,
): Promise<void> {
  const path = `/projects/${projectId}`;
  // A link that signs in is for who sits there: logs of pipes and build services are read by others.
  const link = isLive ? await dashboardLink(client, path, signal) : `${client.url}${path}`;
  err(colors.dim(`Watch it at ${link}`));
}

async function submit(
  { client }: Connection,
  document: Uint8Array<ArrayBuffer>,
  { environment, team, reviewPlan }: RunOptions,
  signal: AbortSignal,
): Promise<string> {
  const query = {
    ...(environment !== undefined && { environment }),
    ...(team !== undefined && { team }),
    ...(reviewPlan && { review_plan: true }),
  };
  const created = await client.call("createProject", { document, query, signal });
  if (!("project_id" in created)) throw new Error("The service returned no project.");
  return created.project_id;
}

/** Keeps a service that this command started running until Ctrl-C; not with --exit-when-done. */
async function waitForInterruption(
  { err, colors }: Terminal,
  connection: Connection,
  { signal }: Interruption,
  { exitWhenDone }: RunOptions,
): Promise<void> {
  const { service } = connection;
  if (service === undefined) return;
  const lines = exitWhenDone ? stoppingLines(connection, service) : waitingLines(connection, service);
  for (const line of lines) err(colors.dim(line));
  if (exitWhenDone) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = AbortSignal.any([signal, service.lost]);
  ended.addEventListener("abort", () => resolve(), { once: true });
  // Signal handlers alone do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  if (!ended.aborted) await promise;
  clearInterval(alive);
  service.lost.throwIfAborted();
}

/** What goes on is told after the end. */
function stoppingLines({ dataFolder, commandLine }: Connection, { leavesDeployed }: EmbeddedService): string[] {
  const again = commandLine("serve");
  if (leavesDeployed) return [`Stopping the service. To start it again: ${again}`];
  return [`Stopping the service and what it deployed. To start both again from ${dataFolder}: ${again}`];
}

function waitingLines({ client, commandLine }: Connection, { leavesDeployed }: EmbeddedService): string[] {
  const again = `${commandLine("serve")} (use --exit-when-done to skip this wait)`;
  if (leavesDeployed)
    return [`The service at ${client.url} keeps running until you press Ctrl-C.`, `To start it again: ${again}`];
  return [
    `The service at ${client.url} and what it deployed keep running until you press Ctrl-C.`,
    `To start both again: ${again}`,
  ];
}
