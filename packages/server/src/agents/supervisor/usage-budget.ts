import type { AgentEvent } from "../drivers/driver.ts";

/** What an agent has used, as far as it says so. */
export interface AgentUsage {
  /** Undefined: it does not say. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly costUsd: number | undefined;
}

export const unknownUsage: AgentUsage = { inputTokens: undefined, outputTokens: undefined, costUsd: undefined };

/** Adds what an agent lets know; what nobody has told stays unknown, and is not nothing. */
export function addUsage(
  { inputTokens, outputTokens, costUsd }: AgentUsage,
  more: Extract<AgentEvent, { type: "usage" }>,
): AgentUsage {
  // Some tell only what it costs.
  const tellsTokens = more.inputTokens + more.outputTokens > 0 || more.costUsd === undefined;
  return {
    inputTokens: tellsTokens ? (inputTokens ?? 0) + more.inputTokens : inputTokens,
    outputTokens: tellsTokens ? (outputTokens ?? 0) + more.outputTokens : outputTokens,
    costUsd: more.costUsd === undefined ? costUsd : (costUsd ?? 0) + more.costUsd,
  };
}

/** Which limit is broken, as it is told; nothing while none is. */
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
