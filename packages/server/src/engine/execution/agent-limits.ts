import type { CompleteSpec } from "@slipway/spec";
import type { AgentLimits, RunnableAgent } from "../../agents/index.ts";
import { documentLimits, type ProcessLimits } from "../../platform/sandbox/index.ts";

/** How long an agent may take and what it may use up: as the document and the operator say. */
export function limitsOf(agent: RunnableAgent, document: CompleteSpec, minuteMs: number): AgentLimits {
  const { idleMinutes, tokens, costUsd } = agent.limits ?? {};
  return {
    minutes: document.timeouts.implementation_minutes,
    minuteMs,
    idleMs: idleMinutes === undefined ? undefined : idleMinutes * minuteMs,
    maxTokens: tokens,
    maxCostUsd: costUsd,
  };
}

/** What an agent's programs may use: as the document says. */
export function processLimits(document: CompleteSpec, idleMs: number | undefined): ProcessLimits {
  return {
    ...documentLimits(document),
    outputBytes: 256 * 1024 ** 2,
    ...(idleMs !== undefined && { idleMs }),
  };
}

/** The limits as the record of a run shows them; null: unlimited. */
export function describeLimits(
  { minutes, minuteMs, idleMs, maxTokens, maxCostUsd }: AgentLimits,
  { memoryBytes, cpuCores, processes, diskBytes }: ProcessLimits,
  network: string,
) {
  return {
    minutes,
    idle_minutes: idleMs === undefined ? null : idleMs / minuteMs,
    tokens: maxTokens ?? null,
    cost_usd: maxCostUsd ?? null,
    memory_bytes: memoryBytes,
    cpu_cores: cpuCores,
    processes,
    disk_bytes: diskBytes,
    network,
  };
}
