import type { LineVerdict } from "../verdict.ts";
import type { Software } from "./start-software.ts";

/** Why programs have ended while they were checked, as by breaking a limit; empty if all of them run. */
export async function whyEnded(programs: Iterable<Software | { readonly failure: string }>): Promise<string> {
  const ends = [...new Set(programs)].map((one) => ("whyEnded" in one ? one.whyEnded() : undefined));
  return (await Promise.all(ends)).filter((end) => end !== undefined).join(" ");
}

/**
 * Says of lines, right after they were checked, that programs which they are about have ended. What passed meanwhile has failed:
 * any program may listen in their place and answer. That no connection was made says too little; an answer that was not as it
 * must be has a reason of its own. `unanswered` has the lines without an answer; left out: an answer is not all that counts.
 */
export function tellEnds(
  verdicts: readonly LineVerdict[],
  why: string,
  unanswered?: ReadonlySet<string>,
): readonly LineVerdict[] {
  if (why === "") return verdicts;
  return verdicts.map((one) => {
    const { pointer, verdict, reason } = one;
    const untold = "Whether the software itself answered cannot be told.";
    if (verdict === "passed") return { ...one, verdict: "failed", reason: `${reason} ${untold} ${why}` };
    const isTold = verdict === "failed" && unanswered?.has(pointer) !== false;
    return isTold ? { ...one, reason: `${reason} ${why}` } : one;
  });
}
