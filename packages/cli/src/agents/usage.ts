import type { Usage } from "@slipway/contract";

/** A usage as text, with what is unknown. */
export function usageText({
  input_tokens,
  output_tokens,
  cost_usd,
  is_complete = true,
}: Usage & { readonly is_complete?: boolean }): string {
  const known = [
    ...(input_tokens === null ? [] : [`${grouped(input_tokens)} tokens in`]),
    ...(output_tokens === null ? [] : [`${grouped(output_tokens)} tokens out`]),
    ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(2)}`]),
  ];
  if (known.length === 0) return "unknown";
  const missing = cost_usd === null ? ", cost unknown" : "";
  return `${is_complete ? "" : "at least "}${known.join(", ")}${missing}`;
}

function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
