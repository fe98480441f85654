import type { Terminal } from "../output/terminal.ts";
import type { Connection } from "./connect.ts";

/** Stops the service if this command started it, and tells what goes on without it. */
export async function endService(terminal: Terminal, connection: Connection | undefined): Promise<void> {
  if (connection === undefined) return;
  const { service, dataFolder, commandLine } = connection;
  await connection.close();
  terminal.live(undefined);
  if (service?.leavesDeployed !== true) return;
  const [list, stop] = [commandLine("apps", "list"), commandLine("apps", "stop")];
  const told = `What is deployed from ${dataFolder} keeps running: '${list}' lists it, '${stop}' ends one.`;
  terminal.err(terminal.colors.dim(told));
}
