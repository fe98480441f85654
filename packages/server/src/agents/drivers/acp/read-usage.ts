import type { AgentEvent } from "../driver.ts";

const inputs = ["inputTokens", "cachedReadTokens", "cachedWriteTokens"];
const outputs = ["outputTokens", "thoughtTokens"];

/** The tokens in the answer to a prompt; the field is in the protocol's draft, and agents send it already. */
export function readUsage(answer: unknown): Extract<AgentEvent, { type: "usage" }> | undefined {
  const usage = (answer as { usage?: Readonly<Record<string, unknown>> | null } | null)?.usage;
  if (typeof usage !== "object" || usage === null) return undefined;
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + count(usage[name]), 0);
  return { type: "usage", inputTokens: sum(inputs), outputTokens: sum(outputs) };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
