import type { Usage } from "@slipway/contract";

/** What several attempts used together; null where none of them said. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (name: keyof Usage) => {
    const known = usages.flatMap((usage) => usage[name] ?? []);
    return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
  };
  return { input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens"), cost_usd: sum("cost_usd") };
}

export function dollars(cost: number | null): string {
  return cost === null ? "unknown" : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}
