import type { Client } from "@slipway/client";
import type { Obstacle, UnmetRequest } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import { CommandError, exitCode } from "../exit-code.ts";
import { maxListed, obstacleLines, unmetLines } from "../foreseen/describe.ts";
import { type HandedOn, handedOnLines } from "../foreseen/handed-on.ts";
import { printable } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";

interface Submission {
  readonly document: Uint8Array<ArrayBuffer>;
  readonly options: { readonly environment?: string; readonly team?: string };
  readonly signal: AbortSignal;
}

/** A secret that the document names. */
interface ForeseenSecret {
  readonly is_required: boolean;
  readonly is_found: boolean;
  readonly reason: string | null;
  readonly remedy: string | null;
}

export interface Foreseen {
  /** What will not be met if the built-in agent builds the document; other agents may meet it. */
  readonly unmet: readonly UnmetRequest[];
  /** What no rule builds, and other agents finish. */
  readonly handedOn: readonly HandedOn[];
  readonly secrets: readonly ForeseenSecret[];
  /** What stands in the way, with what mends it. */
  readonly preflight: readonly Obstacle[];
}

/** What the service says of a document before anything starts. */
export async function foresee(
  { client }: Pick<Connection, "client">,
  { document, options: { environment, team }, signal }: Submission,
): Promise<Foreseen> {
  const query = {
    dry_run: true,
    ...(environment !== undefined && { environment }),
    ...(team !== undefined && { team }),
  };
  const plan = await client.call("createProject", { document, query, signal });
  if (!("unmet" in plan)) return { unmet: [], handedOn: [], secrets: [], preflight: [] };
  const implementer = plan.roles.find(({ role }) => role === "implementer")?.agent_id;
  const isMeant = plan.unmet.length > 0 && implementer != null && (await isBuiltIn(client, implementer, signal));
  // A service of an earlier version says nothing of either.
  const { preflight = [] } = plan as { readonly preflight?: readonly Obstacle[] };
  const unmet = isMeant ? plan.unmet.filter(({ task_id }) => task_id === undefined) : [];
  return { unmet, handedOn: await whoFinishes(client, plan.unmet, signal), secrets: plan.secrets, preflight };
}

/** A request with the task and the agent that would finish it, where one would. */
interface ForeseenRequest extends UnmetRequest {
  readonly task_id?: string;
  readonly agent_id?: string;
}

async function whoFinishes(
  client: Client,
  unmet: readonly ForeseenRequest[],
  signal: AbortSignal,
): Promise<readonly HandedOn[]> {
  const names = new Map<string, string>();
  const found: HandedOn[] = [];
  for (const { task_id, agent_id, ...request } of unmet) {
    if (task_id === undefined || agent_id === undefined) continue;
    const name = names.get(agent_id) ?? (await client.call("readAgent", { params: { agent_id }, signal })).name;
    names.set(agent_id, name);
    found.push({ ...request, task: task_id, agent: name });
  }
  return found;
}

async function isBuiltIn(client: Client, agent_id: string, signal: AbortSignal): Promise<boolean> {
  const { kind } = await client.call("readAgent", { params: { agent_id }, signal });
  return kind === "blueprint";
}

/** Prints it before the run starts; throws if the document cannot be met for want of what somebody has to give first. */
export function tellForeseen(
  terminal: Terminal,
  { unmet, handedOn, secrets, preflight }: Foreseen,
  { strict }: { readonly strict?: true },
): void {
  warnOfUnmet(terminal, unmet);
  tellHandedOn(terminal, handedOn);
  warnOfObstacles(terminal, preflight);
  requireSecrets(secrets);
  if (strict) requireReady(preflight);
}

/** Lists the unsupported requests before the run starts. */
function warnOfUnmet({ err, colors }: Terminal, unmet: readonly UnmetRequest[]): void {
  if (unmet.length === 0) return;
  err(colors.yellow("The built-in agent, which uses no model, does not use or cannot build:"));
  for (const line of unmetLines(unmet.slice(0, maxListed))) err(`  ${line}`);
  if (unmet.length > maxListed) err(`  and ${unmet.length - maxListed} more; 'slipway plan --verbose' lists them`);
}

/** Says which requests other agents finish, before the run starts. */
function tellHandedOn({ err, colors }: Terminal, handedOn: readonly HandedOn[]): void {
  if (handedOn.length === 0) return;
  err(colors.dim("No rule builds these; another agent finishes them:"));
  for (const line of handedOnLines(handedOn.slice(0, maxListed))) err(`  ${line}`);
  if (handedOn.length > maxListed) err(`  and ${handedOn.length - maxListed} more`);
}

/** Lists what stands in the way, but for the secrets, without which nothing starts. */
function warnOfObstacles({ err, colors }: Terminal, preflight: readonly Obstacle[]): void {
  const listed = preflight.filter(({ kind }) => kind !== "secret");
  if (listed.length === 0) return;
  err(colors.yellow("Before it starts:"));
  for (const line of obstacleLines(listed.slice(0, maxListed), colors)) err(`  ${line}`);
  if (listed.length > maxListed) err(`  and ${listed.length - maxListed} more; 'slipway plan --verbose' lists them`);
}

/** With --strict nothing starts that is known to fail. */
function requireReady(preflight: readonly Obstacle[]): void {
  const blocking = preflight.filter(({ is_blocking }) => is_blocking);
  if (blocking.length === 0) return;
  const told = blocking.map(({ message, remedy }) => `${printable(message, 1000)} ${printable(remedy, 1000)}`);
  throw new CommandError(exitCode.failed, `nothing was started:\n${told.join("\n")}`);
}

/** Ends the command before anything starts if a required secret cannot be had: with all of them, and what to do. */
function requireSecrets(secrets: readonly ForeseenSecret[]): void {
  const missing = secrets.filter(({ is_required, is_found }) => is_required && !is_found);
  if (missing.length === 0) return;
  const lines = [...missing.map(({ reason }) => reason), ...missing.map(({ remedy }) => remedy)];
  const told = [...new Set(lines.filter((line) => line !== null))].map((line) => printable(line, 1000));
  throw new CommandError(exitCode.failed, told.join("\n"));
}
