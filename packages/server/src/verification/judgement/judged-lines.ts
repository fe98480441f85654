import { type AcceptanceLine, acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { isMeasured } from "../probes/check-performance.ts";

/** What the service itself finds out, however it is asked for. */
const neverJudged = ["health_check_timeout_seconds", "deployment_time_max_minutes", "zero_downtime"];

/**
 * The lines that a judgement can answer where no check did: those in words of the document's own, and limits that nobody
 * measures. Tests, requests, commands and scans are never among them: an opinion must not stand in for a check.
 */
export function linesToJudge(document: CompleteSpec): readonly AcceptanceLine[] {
  return acceptanceLines(document).filter(({ check }) => {
    if (check.kind === "performance") return !isMeasured(check);
    return check.kind === "named" && !neverJudged.includes(check.name);
  });
}
