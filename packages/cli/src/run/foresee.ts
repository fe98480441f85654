import type { Client } from "@slipway/client";
import type { Connection } from "../connection/connect.ts";
import { CommandError, exitCode } from "../exit-code.ts";
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

/** A secret that the document names. */
interface ForeseenSecret {
  readonly is_required: boolean;
  readonly is_found: boolean;
  readonly reason: string | null;
  readonly remedy: string | null;
}

interface Foreseen {
  /** What will not be met if the built-in agent builds the document; other agents may meet it. */
  readonly unmet: readonly UnmetRequest[];
  readonly secrets: readonly ForeseenSecret[];
}

/** What the service says of a document before anything starts. */
export async function foresee(
  { client }: Pick<Connection, "client">,
  { document, environment, signal }: Submission,
): Promise<Foreseen> {
  const query = { dry_run: true, ...(environment !== undefined && { environment }) };
  const plan = await client.call("createProject", { document, query, signal });
  if (!("unmet" in plan)) return { unmet: [], secrets: [] };
  const implementer = plan.roles.find(({ role }) => role === "implementer")?.agent_id;
  const isMeant = plan.unmet.length > 0 && implementer != null && (await isBuiltIn(client, implementer, signal));
  return { unmet: isMeant ? plan.unmet : [], secrets: plan.secrets };
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

/** Ends the command before anything starts if a required secret cannot be had: with all of them, and what to do. */
export function requireSecrets(secrets: readonly ForeseenSecret[]): void {
  const missing = secrets.filter(({ is_required, is_found }) => is_required && !is_found);
  if (missing.length === 0) return;
  const lines = [...missing.map(({ reason }) => reason), ...missing.map(({ remedy }) => remedy)];
  const told = [...new Set(lines.filter((line) => line !== null))].map((line) => printable(line, 1000));
  throw new CommandError(exitCode.failed, told.join("\n"));
}
