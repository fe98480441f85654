import type { Approval } from "@slipway/contract";

/** What somebody is to decide, in a few words. */
export function whatIsAsked({
  gate,
  environment,
  question,
}: Pick<Approval, "gate" | "environment"> & { readonly question?: string | null }): string {
  if (question) return `${gate}: ${question}`;
  return environment === "" ? gate : `${gate} to ${environment}`;
}
