import type { Client } from "@slipway/client";
import { type Connection, type ConnectionOptions, connect } from "../connection/connect.ts";
import { tellProblem } from "../connection/explain-error.ts";
import { Interruption } from "../connection/interruption.ts";
import { CommandError, type ExitCode, UsageError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/** What a command about projects is given. */
export interface Context {
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly client: Client;
  readonly interruption: Interruption;
  readonly signal: AbortSignal;
  readonly options: Options;
  /** The project that it is about. */
  readonly projectId: string;
}

/** As the command line gives them, by their long names. */
export type Options = ConnectionOptions & { readonly json?: true } & Readonly<
    Record<string, string | true | undefined>
  >;

export interface ProjectCommand {
  readonly description: string;
  /** Whether it is about one project. */
  readonly isAboutOne: boolean;
  readonly options?: readonly CommandOption[];
  /** What a service that is started for it must do; nothing: answer, and leave the work alone. */
  readonly needsWorker?: true;
  run(context: Context): Promise<ExitCode>;
}

interface CommandOption {
  readonly flags: string;
  readonly description: string;
  readonly isRequired?: true;
}

/** Carries out a command about projects on the service that the options name. */
export async function runProjectCommand(
  terminal: Terminal,
  command: ProjectCommand,
  id: string | undefined,
  options: Options,
): Promise<ExitCode> {
  const projectId = projectIdOf(command, id, options["projectId"]);
  const interruption = new Interruption();
  const { signal } = interruption;
  let connection: Connection | undefined;
  try {
    connection = await connect(options, {
      signal,
      mayCreate: false,
      ...(command.needsWorker ? {} : { roles: "api" }),
      onStarting: (folder) => terminal.live(`looking for the service on ${folder}`),
    });
    terminal.live(undefined);
    const { client } = connection;
    return await command.run({ terminal, connection, client, interruption, signal, options, projectId });
  } catch (error) {
    terminal.live(undefined);
    if (signal.aborted && !(error instanceof CommandError)) throw new CommandError(interruption.code, "interrupted");
    throw tellProblem(terminal, error, options);
  } finally {
    await connection?.close();
  }
}

function projectIdOf({ isAboutOne }: ProjectCommand, id: string | undefined, flag: string | true | undefined): string {
  const ids = [id, flag].filter((one) => typeof one === "string");
  if (ids.length > 1) throw new UsageError("the project is named twice: once is enough");
  if (isAboutOne && !ids[0]) throw new UsageError("which project? Give its id, as 'slipway projects list' shows it");
  return ids[0] ?? "";
}

/** The text of an option that was required, or given. */
export function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}
