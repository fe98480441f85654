import { type Connection, type ConnectionOptions, connect } from "../connection/connect.ts";
import { explainError } from "../connection/explain-error.ts";
import { Interruption } from "../connection/interruption.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { followProject } from "../follow/follow-project.ts";
import { printAsJson, printForPeople } from "../follow/printer.ts";
import { exitCodeOf } from "../follow/verdict.ts";
import { WaitLimit } from "../follow/wait-limit.ts";
import type { Terminal } from "../output/terminal.ts";
import { readOneDocument } from "../validate/read-one-document.ts";
import { findUnmet, tellUnmet } from "./find-unmet.ts";

export interface RunOptions extends ConnectionOptions {
  readonly environment?: string;
  readonly outcomeType?: readonly string[];
  /** A folder that is put first. */
  readonly source?: string;
  readonly reviewPlan?: true;
  /** What is not honoured fails, too. */
  readonly strict?: true;
  readonly json?: true;
  readonly exitWhenDone?: true;
  readonly timeout?: string;
}

/** Submits a document and follows what becomes of it to the end. */
export async function runDocument(terminal: Terminal, file: string, options: RunOptions): Promise<ExitCode> {
  const read = await readOneDocument(terminal, file, options, "run");
  if ("code" in read) return read.code;
  // Not before: Ctrl-C while a document is being typed ends us at once.
  const interruption = new Interruption();
  const limit = new WaitLimit(interruption, options.timeout);
  let connection: Connection | undefined;
  let projectId: string | undefined;
  try {
    connection = await connect(options, {
      signal: limit.signal,
      mayCreate: true,
      onStarting: (folder) => terminal.live(`looking for the service on ${folder}`),
    });
    sayWhere(terminal, connection);
    const signal = connection.service ? AbortSignal.any([limit.signal, connection.service.lost]) : limit.signal;
    if (options.source !== undefined) {
      const { putSourceOf } = await import("../source/transfer-source.ts");
      const context = { client: connection.client, terminal, signal };
      await putSourceOf(context, read.bytes, options.environment, options.source);
    }
    const unmet = await findUnmet(connection, { document: read.bytes, environment: options.environment, signal });
    tellUnmet(terminal, unmet);
    projectId = await submit(connection, read.bytes, options, signal);
    const printer = (options.json ? printAsJson : printForPeople)({ terminal, connection, projectId, unmet });
    const { project } = await followProject({ client: connection.client, printer, signal }, projectId);
    await keepUp(terminal, connection, interruption, options);
    const code = exitCodeOf(project);
    return options.strict && unmet.length > 0 && code === exitCode.ok ? exitCode.failed : code;
  } catch (error) {
    throw limit.explain(connection, projectId) ?? explainError(terminal, error, options);
  } finally {
    terminal.live(connection?.service && "stopping the service");
    await connection?.close();
    terminal.live(undefined);
  }
}

function sayWhere(terminal: Terminal, { client, service, dataFolder }: Connection): void {
  terminal.live(undefined);
  const whose = service ? `A service of our own runs on ${dataFolder}` : "The service is";
  terminal.err(terminal.colors.dim(`${whose} at ${client.url}`));
}

async function submit(
  { client }: Connection,
  document: Uint8Array<ArrayBuffer>,
  { environment, reviewPlan }: RunOptions,
  signal: AbortSignal,
): Promise<string> {
  const query = { ...(environment !== undefined && { environment }), ...(reviewPlan && { review_plan: true }) };
  const created = await client.call("createProject", { document, query, signal });
  if (!("project_id" in created)) throw new Error("The service made no project, and did not say why.");
  return created.project_id;
}

/** A service of our own stays until somebody ends it, with what it deployed; unless it is not wanted any longer. */
async function keepUp(
  { err, colors }: Terminal,
  { service, client, dataFolder, commandLine }: Connection,
  { signal }: Interruption,
  { exitWhenDone }: RunOptions,
): Promise<void> {
  if (service === undefined) return;
  if (exitWhenDone)
    return err(
      colors.dim(`The service ends now, with what it deployed; ${dataFolder} keeps the rest: ${commandLine("serve")}`),
    );
  err(colors.dim(`The service stays up at ${client.url}, with what it deployed. Ctrl-C ends both;`));
  err(colors.dim(`${commandLine("serve")} brings them back, --exit-when-done does not wait.`));
  const { promise, resolve } = Promise.withResolvers<void>();
  const either = AbortSignal.any([signal, service.lost]);
  either.addEventListener("abort", () => resolve(), { once: true });
  // Signals alone do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  if (!either.aborted) await promise;
  clearInterval(alive);
  if (service.lost.aborted) err(`slipway: ${(service.lost.reason as Error).message}`);
}
