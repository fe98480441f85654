import type { Usage } from "@slipway/contract";

/** What the attempts at a task have used; null is unknown. */
export interface TaskUsage extends Usage {
  readonly taskId: string;
  /** Who has had the latest attempt. */
  readonly agentId: string;
}

/** A task of the plan, and the lines of the document that it serves. */
export interface ServingTask {
  readonly id: string;
  readonly serves: readonly string[];
}

/** What each line of a document has cost: a task's usage, shared evenly among the lines that it serves. */
export function usageByLine(
  tasks: readonly ServingTask[],
  used: readonly TaskUsage[],
): (pointer: string) => Usage | null {
  const usageOf = new Map(used.map((usage) => [usage.taskId, usage]));
  const found = new Map<string, Usage>();
  for (const { id, serves } of tasks) {
    const usage = usageOf.get(id);
    if (usage === undefined || Object.values(amountsOf(usage)).every((amount) => amount === null)) continue;
    const pointers = [...new Set(serves)];
    for (const [at, pointer] of pointers.entries())
      found.set(pointer, added(found.get(pointer), shareOf(usage, at, pointers.length)));
  }
  return (pointer) => found.get(pointer) ?? null;
}

function amountsOf({ input_tokens, output_tokens, cost_usd }: Usage): Usage {
  return { input_tokens, output_tokens, cost_usd };
}

/** Tokens are whole, and all shares together are what was used. */
function shareOf({ input_tokens, output_tokens, cost_usd }: Usage, at: number, count: number): Usage {
  const part = (total: number | null) =>
    total === null ? null : Math.floor((total * (at + 1)) / count) - Math.floor((total * at) / count);
  return {
    input_tokens: part(input_tokens),
    output_tokens: part(output_tokens),
    cost_usd: cost_usd === null ? null : cost_usd / count,
  };
}

function added(one: Usage | undefined, other: Usage): Usage {
  if (one === undefined) return other;
  const sum = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));
  return {
    input_tokens: sum(one.input_tokens, other.input_tokens),
    output_tokens: sum(one.output_tokens, other.output_tokens),
    cost_usd: sum(one.cost_usd, other.cost_usd),
  };
}
