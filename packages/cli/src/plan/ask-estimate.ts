import type { RunEstimate } from "@slipway/contract";
import type { ConnectionOptions } from "../connection/connect.ts";
import { connectIfRunning } from "../connection/connect.ts";
import type { Terminal } from "../output/terminal.ts";

interface Planned {
  readonly document: Uint8Array<ArrayBuffer>;
  readonly environment: string | undefined;
}

/** What the service says of how long a run would take, by what earlier ones took; undefined if no service runs. */
export async function askEstimate(
  { env }: Pick<Terminal, "env">,
  options: ConnectionOptions,
  { document, environment }: Planned,
): Promise<RunEstimate | undefined> {
  const connection = await connectIfRunning(options, env);
  if (connection === undefined) return undefined;
  const query = { dry_run: true, ...(environment !== undefined && { environment }) };
  // The plan itself needs no service: one that cannot be asked is as good as none.
  const answer = await connection.client.call("createProject", { document, query }).catch(() => undefined);
  // A service of an earlier version keeps no durations.
  return answer !== undefined && "estimate" in answer ? answer.estimate : undefined;
}
