import type { AgentEvent } from "../drivers/driver.ts";

/** What an agent has used, as far as it reports it. */
export interface AgentUsage {
  /** Undefined: not reported. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly costUsd: number | undefined;
}

export const unknownUsage: AgentUsage = { inputTokens: undefined, outputTokens: undefined, costUsd: undefined };

/** Adds a usage event; a number that the agent never reported stays unknown instead of zero. */
export function addUsage(
  { inputTokens, outputTokens, costUsd }: AgentUsage,
  more: Extract<AgentEvent, { type: "usage" }>,
): AgentUsage {
  // Some agents report only the cost.
  const hasTokens = more.inputTokens + more.outputTokens > 0 || more.costUsd === undefined;
  return {
    inputTokens: hasTokens ? (inputTokens ?? 0) + more.inputTokens : inputTokens,
    outputTokens: hasTokens ? (outputTokens ?? 0) + more.outputTokens : outputTokens,
    costUsd: more.costUsd === undefined ? costUsd : (costUsd ?? 0) + more.costUsd,
  };
}

/** The limit that the usage breaks, in words; undefined if it breaks none. */
export function overBudget(
  { inputTokens = 0, outputTokens = 0, costUsd = 0 }: AgentUsage,
  { maxTokens, maxCostUsd }: { readonly maxTokens: number | undefined; readonly maxCostUsd: number | undefined },
): string | undefined {
  const tokens = inputTokens + outputTokens;
  if (maxTokens !== undefined && tokens > maxTokens) return `used ${tokens} tokens, limit was ${maxTokens}`;
  if (maxCostUsd !== undefined && costUsd > maxCostUsd)
    return `cost $${costUsd.toFixed(2)}, limit was $${maxCostUsd.toFixed(2)}`;
  return undefined;
}
