import type { LineVerdict } from "../verdict.ts";
import type { Software } from "./start-software.ts";

/** Why programs have ended while they were checked, as by breaking a limit; empty if all of them run. */
export async function whyEnded(programs: Iterable<Software | { readonly failure: string }>): Promise<string> {
  const ends = [...new Set(programs)].map((one) => ("whyEnded" in one ? one.whyEnded() : undefined));
  return (await Promise.all(ends)).filter((end) => end !== undefined).join(" ");
}

/** Fails lines that passed meanwhile or later: where software has ended, any program may listen and answer. */
export function notByOthers(verdicts: readonly LineVerdict[], why: string): readonly LineVerdict[] {
  if (why === "") return verdicts;
  const reason = (said: string) => `${said} Whether the software itself answered cannot be told.`;
  return verdicts.map((one) =>
    one.verdict === "passed" ? { ...one, verdict: "failed", reason: reason(one.reason) } : one,
  );
}

/** Adds to each line that failed why the software had ended: that no connection was made says too little. */
export function tellEnds(verdicts: readonly LineVerdict[], why: string): readonly LineVerdict[] {
  if (why === "") return verdicts;
  return verdicts.map((one) => (one.verdict === "failed" ? { ...one, reason: `${one.reason} ${why}` } : one));
}
