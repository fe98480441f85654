import type { AgentEvent } from "../driver.ts";

const inputs = ["inputTokens", "cachedReadTokens", "cachedWriteTokens"];
const outputs = ["outputTokens", "thoughtTokens"];

/** What a prompt's answer says of tokens. The protocol's draft has it, and agents that are in use send it. */
export function readUsage(answer: unknown): Extract<AgentEvent, { type: "usage" }> | undefined {
  const usage = (answer as { usage?: Readonly<Record<string, unknown>> | null } | null)?.usage;
  if (typeof usage !== "object" || usage === null) return undefined;
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + count(usage[name]), 0);
  return { type: "usage", inputTokens: sum(inputs), outputTokens: sum(outputs) };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
