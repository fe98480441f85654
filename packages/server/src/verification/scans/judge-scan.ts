import type { CompleteSpec } from "@slipway/spec";
import { count } from "../../platform/count.ts";
import type { LineVerdict, Verdict } from "../verdict.ts";
import { dataOnly, type Finding, type ScanResult, severities } from "./finding.ts";
import { isAllowed } from "./licenses.ts";

type Judged = Pick<CompleteSpec, "guardrails">;

const scanFile = "verification/scan.sarif";
const sbomFile = "verification/sbom.cdx.json";

/** What a scan means for the lines of a document's guardrails. */
export function judgeScan(document: Judged, result: ScanResult): LineVerdict[] {
  return [
    ...judgeSecurity(document, result),
    ...judgeRequired(document, result),
    ...judgeLicenses(document, result),
    ...judgeLint(document, result),
  ];
}

function judgeSecurity({ guardrails }: Judged, result: ScanResult): LineVerdict[] {
  const level = guardrails.security_scan;
  if (level === "off") return [];
  const open = result.findings.filter(({ waiver }) => waiver === undefined);
  const gaps = gapsOf(result);
  const line = (verdict: Verdict, reason: string): LineVerdict[] => [
    { pointer: "/guardrails/security_scan", verdict, reason, durationMs: result.durationMs, evidence: [scanFile] },
  ];
  const counted = countsOf(result, open);
  switch (level) {
    case "warn":
      return line(
        "passed",
        `${counted}${open.length === 0 ? "" : " 'warn' reports them and lets them pass."}${gaps.length > 0 ? ` Not scanned: ${gaps[0]}` : ""}`,
      );
    case "error": {
      const serious = open.filter(({ severity }) => severity === "critical" || severity === "high");
      if (serious.length > 0) return line("failed", `${counted} ${listed(serious)}`);
      const unread = unreadCode(result);
      if (unread.length > 0) return line("not_checked", `${counted} But rules could not read ${some(unread)}`);
      return line(
        "passed",
        `${counted}${open.length === 0 ? "" : " None of them is high or critical."}${gaps.length > 0 ? ` Not scanned: ${gaps[0]}` : ""}`,
      );
    }
    case "block": {
      if (open.length > 0) return line("failed", `${counted} ${listed(open)}`);
      if (gaps.length > 0) return line("failed", `'block' needs everything scanned. Not scanned: ${some(gaps)}`);
      return line("passed", counted);
    }
  }
}

function some(names: readonly string[]): string {
  return `${names.slice(0, 5).join("; ")}${names.length > 5 ? `; and ${names.length - 5} more` : ""}`;
}

/** Files in which dangerous code may stand that no rule has seen. */
function unreadCode(result: ScanResult): readonly string[] {
  const unscanned = result.unscanned.filter(({ reason }) => reason !== dataOnly);
  return gapsOf({
    ...result,
    scanners: [],
    unscanned,
    unscannedCount: result.unscannedCount - result.unscanned.length + unscanned.length,
  });
}

/** What nobody looked at. Without packages of others, advisories are not missed. */
function gapsOf({ scanners, unscanned, unscannedCount }: ScanResult): string[] {
  return [
    ...scanners
      .filter(({ state }) => state === "not_scanned")
      .map(({ scanner, reason }) => `${scanner} (${reason.replace(/\.$/, "")})`),
    ...unscanned.map(({ path, reason }) => `${path} ${reason}`),
    ...Array.from({ length: Math.min(1, unscannedCount - unscanned.length) }, () =>
      count(unscannedCount - unscanned.length, "further file"),
    ),
  ];
}

function judgeRequired({ guardrails }: Judged, result: ScanResult): LineVerdict[] {
  if (!guardrails.deployment.security_scan_required) return [];
  const scanned = result.scanners.filter(({ state }) => state === "scanned").map(({ scanner }) => scanner);
  const missing = result.scanners.filter(({ state }) => state === "not_scanned");
  const pointer = "/guardrails/deployment/security_scan_required";
  const open = result.findings.filter(({ waiver, severity }) => waiver === undefined && severity === "critical");
  if (result.files > 0 && scanned.length === 0)
    return [{ pointer, verdict: "failed", reason: "No scanner could read the project.", evidence: [scanFile] }];
  const gaps =
    missing.length === 0
      ? ""
      : ` Not scanned: ${missing.map(({ scanner, reason }) => `${scanner} (${reason.replace(/\.$/, "")})`).join("; ")}.`;
  const critical = open.length === 0 ? "" : ` ${open.length} critical; security_scan decides what they mean.`;
  return [
    {
      pointer,
      verdict: "passed",
      reason: `Scanned before the deployment: ${scanned.join(", ")}.${gaps}${critical}`,
      evidence: [scanFile],
    },
  ];
}

function judgeLicenses({ guardrails }: Judged, { components, unlisted: [unread] }: ScanResult): LineVerdict[] {
  const allowed = guardrails.license_whitelist;
  if (allowed === undefined) return [];
  const line = (verdict: Verdict, reason: string): LineVerdict[] => [
    { pointer: "/guardrails/license_whitelist", verdict, reason, evidence: [sbomFile] },
  ];
  if (unread !== undefined) return line("failed", `${unread.path} ${unread.reason}, so its packages are not known.`);
  if (components.length === 0) return line("passed", "The project takes no packages from others.");
  const wrong = components.filter(({ license }) => license === undefined || !isAllowed(license, allowed));
  if (wrong.length === 0)
    return line(
      "passed",
      `${components.length === 1 ? "The package has" : `All ${components.length} packages have`} a licence of the list.`,
    );
  const names = wrong
    .slice(0, 10)
    .map(
      ({ name, version, license }) =>
        `${name}${version === undefined ? "" : `@${version}`} (${license ?? "unknown licence"})`,
    );
  return line(
    "failed",
    `${wrong.length} of ${count(components.length, "package")} ${wrong.length === 1 ? "has" : "have"} no licence of the list: ${names.join(", ")}${wrong.length > 10 ? ", …" : ""}. Replace them, or add their licence.`,
  );
}

function judgeLint({ guardrails }: Judged, { lint }: ScanResult): LineVerdict[] {
  if (!guardrails.lint) return [];
  const pointer = "/guardrails/lint";
  if (lint.is === "not_done") return [{ pointer, verdict: "not_checked", reason: lint.reason }];
  if (lint.problems.length === 0 && lint.unread.length > 0) {
    const files = some(lint.unread.map(({ path, reason: why }) => `${path} ${why}`));
    return [
      {
        pointer,
        verdict: "not_checked",
        reason: `Nothing was found in ${count(lint.files, "file")}, but ESLint could not read ${files}`,
      },
    ];
  }
  if (lint.problems.length === 0)
    return [
      {
        pointer,
        verdict: "passed",
        reason: `ESLint's recommended rules found nothing in ${count(lint.files, "file")}.`,
      },
    ];
  const shown = lint.problems
    .slice(0, 10)
    .map(({ path, line, ruleId, message }) => `${path}:${line} ${ruleId}: ${message}`);
  return [{ pointer, verdict: "failed", reason: `${count(lint.problems.length, "problem")}. ${shown.join(" ")}` }];
}

function countsOf({ findings, leftOut }: ScanResult, open: readonly Finding[]): string {
  const counts = severities
    .map((severity) => [severity, open.filter((one) => one.severity === severity).length] as const)
    .filter(([, number]) => number > 0);
  const waived = findings.length - open.length;
  const words = counts.map(([severity, number]) => `${number} ${severity}`).join(", ");
  const total = open.length + leftOut;
  return `${total === 0 ? "No findings" : `${count(total, "finding")} (${words})`}${waived > 0 ? `, ${waived} waived by the document` : ""}.`;
}

function listed(findings: readonly Finding[]): string {
  const shown = findings
    .slice(0, 5)
    .map(
      ({ path, line, ruleId, severity, message, remedy }) =>
        `${path}:${line} ${ruleId} (${severity}): ${message} ${remedy}`,
    );
  return `${shown.join(" ")}${findings.length > 5 ? ` And ${findings.length - 5} more.` : ""}`;
}
