import { count } from "../../platform/count.ts";
import { oneLine } from "../../platform/one-line.ts";
import { type ScanResult, severities } from "./finding.ts";

/** What a person reads of a scan: counts, findings, and what was not scanned. */
export function logOf(result: Omit<ScanResult, "evidence" | "log">): string {
  const {
    findings,
    scanners,
    unscanned,
    unscannedCount,
    ignoredComments,
    expiredWaivers,
    files,
    lines,
    durationMs,
    leftOut,
  } = result;
  const counts = severities
    .map((severity) => `${findings.filter((one) => one.severity === severity).length} ${severity}`)
    .join(", ");
  const rows = [
    `Scanned ${count(files, "file")} with ${count(lines, "line")} in ${(durationMs / 1000).toFixed(1)} s: ${counts}.`,
    ...scanners.map(
      ({ scanner, state, reason }) => `${scanner}: ${state.replaceAll("_", " ")} (${reason.replace(/\.$/, "")})`,
    ),
    ...findings
      .slice(0, 200)
      .map(
        ({ severity, path, line, ruleId, message, remedy, waiver }) =>
          `${waiver === undefined ? severity : "waived"} ${oneLine(path, 200)}:${line} ${ruleId} ${message} ${remedy}`,
      ),
    ...(leftOut + findings.length > 200
      ? [`${count(leftOut + findings.length - 200, "further finding is", "further findings are")} left out.`]
      : []),
    ...unscanned.slice(0, 100).map(({ path, reason }) => `not scanned: ${path} ${reason}`),
    ...(unscannedCount > 100
      ? [`${count(unscannedCount - 100, "further file was", "further files were")} not scanned.`]
      : []),
    ...ignoredComments
      .slice(0, 50)
      .map(
        ({ path, line, marker }) =>
          `not honoured: ${oneLine(path, 200)}:${line} '${marker}'. Waive a finding in guardrails.security_waivers of the document.`,
      ),
    ...(ignoredComments.length > 50 ? ["Further comments that ask to look away are left out."] : []),
    ...expiredWaivers.map(
      ({ rule, path, expires }) =>
        `expired on ${expires}: the waiver of ${oneLine(rule, 100)} for ${oneLine(path, 200)}`,
    ),
  ];
  return `${rows.join("\n")}\n`;
}
