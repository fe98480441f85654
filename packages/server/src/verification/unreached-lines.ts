import type { CompleteSpec } from "@slipway/spec";
import { count } from "../platform/count.ts";
import type { Failure } from "../platform/errors/index.ts";
import { foreseeVerdicts } from "./report/foresee-verdicts.ts";
import type { LineVerdict } from "./verdict.ts";

/** For the scan, probes, commands and plugins together. */
const otherMinutes = 30;

/** How long a verification may take as a whole: what the document gives its build and its tests, and the rest. */
export function verificationMinutes({ timeouts }: Pick<CompleteSpec, "timeouts">): number {
  return timeouts.implementation_minutes + timeouts.test_execution_minutes + otherMinutes;
}

/** What a verification that took too long means: lines that it did not come to have failed. */
export function outOfTime(
  document: CompleteSpec,
  { verdicts, asked }: { readonly verdicts: readonly LineVerdict[]; readonly asked: ReadonlySet<string> | undefined },
): { readonly verdicts: readonly LineVerdict[]; readonly error: Failure } {
  const message = `The verification took longer than ${count(verificationMinutes(document), "minute")}. Make the build, commands or tests quicker, or raise timeouts.implementation_minutes or timeouts.test_execution_minutes.`;
  const judged = new Set(verdicts.map(({ pointer }) => pointer));
  const unreached = foreseeVerdicts(document, { answered: [], hasBrowser: true, hasTypeChecker: true }).filter(
    ({ pointer, canBeVerified }) =>
      canBeVerified &&
      !judged.has(pointer) &&
      (asked?.has(pointer) ?? !/\/(?:deployment_time_max_minutes|zero_downtime)$/.test(pointer)),
  );
  return {
    verdicts: [
      ...verdicts,
      ...unreached.map(({ pointer }) => ({ pointer, verdict: "failed" as const, reason: `Not reached. ${message}` })),
    ],
    error: { code: "acceptance_failed", message },
  };
}
