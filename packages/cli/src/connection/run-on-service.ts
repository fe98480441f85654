import type { Context, ServiceCommand, ServiceContext } from "../command.ts";
import { CommandError, type ExitCode } from "../exit-code.ts";
import { type Connection, connect } from "./connect.ts";
import { endService } from "./end-service.ts";
import { explainError } from "./explain-error.ts";
import { Interruption } from "./interruption.ts";

/** Runs a command on the service that the options choose; an embedded one is started for it if none runs. */
export async function runOnService(context: Context, { needs, mayCreate, run }: ServiceCommand): Promise<ExitCode> {
  const { terminal, options } = context;
  const interruption = new Interruption(terminal);
  const { signal } = interruption;
  let connection: Connection | undefined;
  try {
    connection = await connect(options, {
      env: terminal.env,
      signal,
      mayCreate: mayCreate === true,
      ...(needs === "worker" ? {} : { roles: "api" }),
      onStarting: (folder) => terminal.live(`looking for the service on ${folder}`),
    });
    terminal.live(undefined);
    return await run({ ...context, connection, client: connection.client, interruption, signal });
  } catch (error) {
    terminal.live(undefined);
    if (signal.aborted && !(error instanceof CommandError)) throw new CommandError(interruption.code, "interrupted");
    throw explainError(terminal, error, options);
  } finally {
    await endService(terminal, connection);
  }
}

/** After a command whose embedded service stops with it: names the command that carries out what was requested. */
export function adviseToServe({ terminal, connection }: ServiceContext, purpose: string): void {
  if (connection.service === undefined) return;
  terminal.err(
    `No service is running on ${connection.dataFolder}. To ${purpose}, start it: ${connection.commandLine("serve")}`,
  );
}
