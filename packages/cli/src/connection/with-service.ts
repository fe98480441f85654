import type { Client } from "@slipway/client";
import { CommandError, type ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { type Connection, type ConnectionOptions, connect } from "./connect.ts";
import { tellProblem } from "./explain-error.ts";
import { Interruption } from "./interruption.ts";

/** As the command line gives them, by their long names. */
export type Options = ConnectionOptions & { readonly json?: true } & Readonly<
    Record<string, string | true | undefined>
  >;

/** What a command that speaks with the service is given. */
export interface ServiceContext {
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly client: Client;
  readonly interruption: Interruption;
  readonly signal: AbortSignal;
  readonly options: Options;
}

/** Carries something out on the service that the options name. One that is started for it only answers, unless it needs more. */
export async function withService(
  terminal: Terminal,
  options: Options,
  work: (context: ServiceContext) => Promise<ExitCode>,
  { needsWorker = false } = {},
): Promise<ExitCode> {
  const interruption = new Interruption();
  const { signal } = interruption;
  let connection: Connection | undefined;
  try {
    connection = await connect(options, {
      signal,
      mayCreate: false,
      ...(needsWorker ? {} : { roles: "api" }),
      onStarting: (folder) => terminal.live(`looking for the service on ${folder}`),
    });
    terminal.live(undefined);
    const { client } = connection;
    return await work({ terminal, connection, client, interruption, signal, options });
  } catch (error) {
    terminal.live(undefined);
    if (signal.aborted && !(error instanceof CommandError)) throw new CommandError(interruption.code, "interrupted");
    throw tellProblem(terminal, error, options);
  } finally {
    await connection?.close();
  }
}

/** The text of an option that was required, or given. */
export function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}
