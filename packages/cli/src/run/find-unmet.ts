import type { Client } from "@slipway/client";
import type { Connection } from "../connection/connect.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";

/** A request of the document that the agent does not support. */
export interface UnmetRequest {
  readonly pointer: string;
  readonly reason: string;
}

interface Submission {
  readonly document: Uint8Array<ArrayBuffer>;
  readonly environment: string | undefined;
  readonly signal: AbortSignal;
}

/** The requests that will not be met if the built-in agent builds the document; other agents may meet them. */
export async function findUnmet(
  { client }: Pick<Connection, "client">,
  { document, environment, signal }: Submission,
): Promise<readonly UnmetRequest[]> {
  const query = { dry_run: true, ...(environment !== undefined && { environment }) };
  const plan = await client.call("createProject", { document, query, signal });
  if (!("unmet" in plan) || plan.unmet.length === 0) return [];
  const implementer = plan.roles.find(({ role }) => role === "implementer")?.agent_id;
  return implementer != null && (await isBuiltIn(client, implementer, signal)) ? plan.unmet : [];
}

async function isBuiltIn(client: Client, agent_id: string, signal: AbortSignal): Promise<boolean> {
  const { kind } = await client.call("readAgent", { params: { agent_id }, signal });
  return kind === "blueprint";
}

/** Lists the unsupported requests before the run starts. */
export function warnOfUnmet({ err, colors }: Terminal, unmet: readonly UnmetRequest[]): void {
  if (unmet.length === 0) return;
  err(colors.yellow("The built-in agent, which uses no model, does not support everything the document asks for:"));
  for (const { pointer, reason } of unmet.slice(0, maxListed)) err(`  - ${printable(pointer)}: ${printable(reason)}`);
  if (unmet.length > maxListed) err(`  and ${unmet.length - maxListed} more; 'slipway plan --verbose' lists them`);
}

const maxListed = 20;
