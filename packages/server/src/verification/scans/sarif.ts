import { count } from "../../platform/count.ts";
import type { Finding, ScannerState, Severity, Unscanned } from "./finding.ts";

interface Scanned {
  readonly findings: readonly Finding[];
  readonly scanners: readonly ScannerState[];
  readonly unscanned: readonly Unscanned[];
  readonly unscannedCount: number;
  /** Findings that the report does not hold. */
  readonly leftOut: number;
}

/** How SARIF's viewers and GitHub's code scanning read our severities. */
const levels: Readonly<Record<Severity, { level: "error" | "warning" | "note"; score: string }>> = {
  critical: { level: "error", score: "9.5" },
  high: { level: "error", score: "8.0" },
  medium: { level: "warning", score: "5.5" },
  low: { level: "note", score: "2.0" },
};

/** The report of a scan as SARIF 2.1.0: one run a scanner, with what it did not scan as notifications. */
export function sarifOf({ findings, scanners, unscanned, unscannedCount, leftOut }: Scanned): string {
  const cut = [
    ...(leftOut > 0 ? [notification(`${count(leftOut, "further finding is", "further findings are")} left out.`)] : []),
    ...(unscannedCount > unscanned.length
      ? [
          notification(
            `${count(unscannedCount - unscanned.length, "further file was", "further files were")} not scanned.`,
          ),
        ]
      : []),
  ];
  const runs = scanners
    .filter(({ state }) => state !== "nothing_to_scan")
    .map((scanner, index) => {
      const own = findings.filter((one) => one.scanner === scanner.scanner);
      const ruleIds = [...new Set(own.map(({ ruleId }) => ruleId))].sort();
      const rules = ruleIds.map((id) => describeRule(own.find(({ ruleId }) => ruleId === id)!));
      const notes =
        index === 0 ? [...unscanned.map(({ path, reason }) => notification(`${path} ${reason}.`, path)), ...cut] : [];
      const why = scanner.state === "not_scanned" ? [notification(`Not scanned: ${scanner.reason}`)] : [];
      return {
        tool: {
          driver: { name: `slipway ${scanner.scanner}`, informationUri: "https://github.com/slipway/slipway", rules },
        },
        automationDetails: { id: `slipway/${scanner.scanner}/` },
        invocations: [
          { executionSuccessful: scanner.state === "scanned", toolExecutionNotifications: [...why, ...notes] },
        ],
        columnKind: "utf16CodeUnits",
        results: own.map((finding) => resultOf(finding, ruleIds)),
      };
    });
  const $schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
  return `${JSON.stringify({ $schema, version: "2.1.0", runs }, undefined, 2)}\n`;
}

function describeRule({ ruleId, message, remedy, severity }: Finding) {
  const { level, score } = levels[severity];
  return {
    id: ruleId,
    shortDescription: { text: message },
    help: { text: remedy },
    defaultConfiguration: { level },
    properties: { "security-severity": score, tags: ["security"] },
  };
}

function resultOf(
  { ruleId, severity, path, line, message, remedy, fingerprint, waiver }: Finding,
  ruleIds: readonly string[],
) {
  return {
    ruleId,
    ruleIndex: ruleIds.indexOf(ruleId),
    level: levels[severity].level,
    message: { text: `${message} ${remedy}` },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(path) }, region: { startLine: line } } }],
    partialFingerprints: { "slipway/v1": fingerprint },
    properties: { severity },
    ...(waiver && {
      suppressions: [
        { kind: "external", status: "accepted", justification: `${waiver.reason} (until ${waiver.expires})` },
      ],
    }),
  };
}

function notification(text: string, path?: string) {
  return {
    level: "warning",
    message: { text },
    ...(path !== undefined && { locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(path) } } }] }),
  };
}

function uriOf(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
