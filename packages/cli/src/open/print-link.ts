import type { ServiceContext } from "../command.ts";
import { dashboardLink } from "../connection/dashboard-link.ts";
import { adviseToServe } from "../connection/run-on-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { toJsonLine } from "../output/to-json.ts";

/** Prints a link to the dashboard, if a service runs there for longer than this command. */
export async function printLink(context: ServiceContext): Promise<ExitCode> {
  const { client, connection, terminal, args, options, signal } = context;
  if (connection.service !== undefined) {
    // It ends with this command: nobody could follow the link.
    adviseToServe(context, "see the dashboard");
    return exitCode.cannotConnect;
  }
  const url = await dashboardLink(client, args[0] === undefined ? "/" : `/projects/${args[0]}`, signal);
  terminal.out(options.json ? toJsonLine({ url }) : url);
  return exitCode.ok;
}
