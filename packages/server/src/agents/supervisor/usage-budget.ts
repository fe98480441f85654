import type { AgentEvent } from "../drivers/driver.ts";

/** What an agent has used, as far as it reports it. */
export interface AgentUsage {
  /** Undefined: not reported. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly costUsd: number | undefined;
}

export const unknownUsage: AgentUsage = { inputTokens: undefined, outputTokens: undefined, costUsd: undefined };

/** Of a run. Agents report what they like; sums over all runs of a month must stay within the database's numbers. */
const maxTokensOfRun = 1e12;
const maxCostOfRun = 1e9;

/** Adds a usage event; a number that the agent never reported stays unknown instead of zero. */
export function addUsage(
  { inputTokens, outputTokens, costUsd }: AgentUsage,
  more: Extract<AgentEvent, { type: "usage" }>,
): AgentUsage {
  // Some agents report only the cost.
  const hasTokens = more.inputTokens + more.outputTokens > 0 || more.costUsd === undefined;
  return {
    inputTokens: hasTokens ? sum(inputTokens, wholeOf(more.inputTokens), maxTokensOfRun) : inputTokens,
    outputTokens: hasTokens ? sum(outputTokens, wholeOf(more.outputTokens), maxTokensOfRun) : outputTokens,
    costUsd: more.costUsd === undefined ? costUsd : sum(costUsd, more.costUsd, maxCostOfRun),
  };
}

/** Infinite numbers less each other are none, and count as nothing. */
function sum(before: number | undefined, more: number, max: number): number {
  return Math.min(max, (before ?? 0) + (Number.isNaN(more) ? 0 : Math.max(0, more)));
}

/** The database takes whole tokens only. */
function wholeOf(tokens: number): number {
  return Math.min(maxTokensOfRun, Math.ceil(tokens));
}

/** The limit that the usage breaks, in words, and what to do about it; undefined if it breaks none. */
export function overBudget(
  { inputTokens = 0, outputTokens = 0, costUsd = 0 }: AgentUsage,
  { maxTokens, maxCostUsd }: { readonly maxTokens: number | undefined; readonly maxCostUsd: number | undefined },
): string | undefined {
  const tokens = inputTokens + outputTokens;
  if (maxTokens !== undefined && tokens > maxTokens)
    return `used ${tokens} tokens, limit was ${maxTokens}. Raise limits.tokens of the agent, or give it less to do.`;
  if (maxCostUsd !== undefined && costUsd > maxCostUsd)
    return `cost $${costUsd.toFixed(2)}, limit was $${maxCostUsd.toFixed(2)}. Raise limits.cost_usd of the agent, or give it less to do.`;
  return undefined;
}
