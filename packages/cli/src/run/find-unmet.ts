import type { Client } from "@slipway/client";
import type { Connection } from "../connection/connect.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";

/** Something that the document asks for and nobody will make. */
export interface UnmetWish {
  readonly pointer: string;
  readonly reason: string;
}

interface Asked {
  readonly document: Uint8Array<ArrayBuffer>;
  readonly environment: string | undefined;
  readonly signal: AbortSignal;
}

/** What will not be honoured, where the built-in agent is to build it; others may do better than by rule. */
export async function findUnmet(
  { client }: Pick<Connection, "client">,
  { document, environment, signal }: Asked,
): Promise<readonly UnmetWish[]> {
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

/** Said before anything is made. */
export function tellUnmet({ err, colors }: Terminal, unmet: readonly UnmetWish[]): void {
  if (unmet.length === 0) return;
  err(colors.yellow("The built-in agent, which does without a model, will not build all that the document asks for:"));
  for (const { pointer, reason } of unmet.slice(0, mostTold)) err(`  - ${printable(pointer)}: ${printable(reason)}`);
  if (unmet.length > mostTold) err(`  and ${unmet.length - mostTold} more, which 'slipway plan --verbose' lists`);
}

const mostTold = 20;
