import { watchEvents } from "@slipway/client";
import type { EventRecord, Promotion } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJsonLine } from "../output/to-json.ts";

interface Deps {
  readonly connection: Connection;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly isJson: boolean;
}

/**
 * Waits until the result is live in every environment that it goes to by itself, or waits for a person there, and prints
 * what became of each. Returns whether it got to all of them.
 */
export async function followPromotions(deps: Deps, projectId: string, last: EventRecord | undefined): Promise<boolean> {
  const { client } = deps.connection;
  const told = new Set<string>();
  const promotions = await tellSettled(deps, projectId, told);
  if (promotions.every(hasSettled)) return areLive(promotions);
  // Each promotion ends with an event, and so does each question for an approval.
  for await (const _ of watchEvents(client, projectId, { after: last?.sequence ?? 0, signal: deps.signal })) {
    const now = await tellSettled(deps, projectId, told);
    if (now.every(hasSettled)) return areLive(now);
  }
  throw new Error("The event stream ended unexpectedly.");
}

async function tellSettled(
  { connection, terminal, signal, isJson }: Deps,
  projectId: string,
  told: Set<string>,
): Promise<readonly Promotion[]> {
  const params = { project_id: projectId };
  const { promotions } = await connection.client.call("listPromotions", { params, signal });
  for (const promotion of promotions.filter(hasSettled)) {
    if (told.has(promotion.environment)) continue;
    told.add(promotion.environment);
    terminal.live(undefined);
    const approve = connection.commandLine("projects", "approve", projectId);
    terminal.out(isJson ? toJsonLine({ promotion }) : lineOf(promotion, approve, terminal.colors));
  }
  const next = promotions.find((promotion) => !hasSettled(promotion));
  if (next !== undefined) terminal.live(`deploying to ${next.environment}`);
  return promotions;
}

function areLive(promotions: readonly Promotion[]): boolean {
  return promotions.every(({ status }) => status !== "failed");
}

function hasSettled({ status }: Promotion): boolean {
  return status !== "queued" && status !== "deploying";
}

function lineOf(
  { environment, status, version, url, error }: Promotion,
  approve: string,
  colors: Terminal["colors"],
): string {
  if (status === "live") return `${colors.green("✔")} ${environment}: ${version} is live${url ? ` at ${url}` : ""}`;
  if (status === "failed") return `${colors.red("✖")} ${environment}: ${error?.message ?? "It failed."}`;
  return colors.yellow(`… ${environment} waits for an approval: ${approve}`);
}
