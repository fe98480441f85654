import type { Usage } from "@slipway/contract";

/** Tokens and cost in a few words; what is unknown is left out. */
export function describeUsage({ input_tokens, output_tokens, cost_usd }: Usage): string {
  return [
    ...(input_tokens === null ? [] : [`${input_tokens} tokens in`]),
    ...(output_tokens === null ? [] : [`${output_tokens} tokens out`]),
    ...(cost_usd === null ? [] : [`${cost_usd.toFixed(4)} USD`]),
  ].join(", ");
}
