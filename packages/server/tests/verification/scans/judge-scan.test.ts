import { expect, test } from "vitest";
import { dataOnly } from "../../../src/verification/scans/finding.ts";
import { type Finding, judgeScan, type ScanResult } from "../../../src/verification/scans/index.ts";
import { type Guardrails, guardrailsOf, noAdvisories } from "../../support/scans/scan-files.ts";

const finding: Finding = {
  ruleId: "code/weak-hash",
  severity: "medium",
  path: "src/etag.js",
  line: 3,
  message: "md5 is broken.",
  remedy: "Use SHA-256.",
  scanner: "code",
  fingerprint: "0",
};
const component = {
  ecosystem: "npm",
  name: "knots",
  version: "1.2.3",
  license: "MIT",
  path: "package-lock.json",
  line: 1,
  isDevelopment: false,
} as const;
const clean: ScanResult = {
  findings: [],
  leftOut: 0,
  scanners: [{ scanner: "secrets", state: "scanned", files: 1, reason: "rules" }],
  unscanned: [],
  unscannedCount: 0,
  ignoredComments: [],
  expiredWaivers: [],
  components: [],
  unlisted: [],
  lint: { is: "not_done", reason: "nobody asked" },
  files: 1,
  lines: 1,
  durationMs: 1,
  evidence: [],
  log: "",
};

function verdicts(guardrails: Partial<Guardrails>, result: Partial<ScanResult> = {}): string[] {
  const lines = judgeScan({ guardrails: guardrailsOf(guardrails) }, { ...clean, ...result });
  return lines.map(({ pointer, verdict }) => `${pointer} ${verdict}`);
}

test.for([
  ["off", [finding], []],
  ["warn", [finding], ["passed"]],
  ["error", [finding], ["passed"]],
  ["error", [{ ...finding, severity: "high" }], ["failed"]],
  ["error", [{ ...finding, severity: "critical" }], ["failed"]],
  ["block", [], ["passed"]],
  ["block", [{ ...finding, severity: "low" }], ["failed"]],
  ["block", [{ ...finding, waiver: { rule: "", path: "", reason: "r", expires: "2099-01-01" } }], ["passed"]],
] as const)("'%s' with %j is %j", ([level, findings, expected]) => {
  const found = verdicts({ security_scan: level }, { findings: [...findings] });
  expect(found).toEqual(expected.map((verdict) => `/guardrails/security_scan ${verdict}`));
});

test("'block' fails on what was not scanned; under 'error' unread code is not checked, missing advisories are told", () => {
  const missing = {
    scanners: [{ scanner: "dependencies", state: "not_scanned", files: 1, reason: noAdvisories }],
  } as const;
  expect(verdicts({ security_scan: "block" }, missing)).toEqual(["/guardrails/security_scan failed"]);
  expect(verdicts({ security_scan: "error" }, missing)).toEqual(["/guardrails/security_scan passed"]);
  const nothing = { scanners: [{ scanner: "dependencies", state: "nothing_to_scan", files: 0, reason: "" }] } as const;
  expect(verdicts({ security_scan: "block" }, nothing)).toEqual(["/guardrails/security_scan passed"]);
  const unread = { unscanned: [{ path: "a", reason: "is large" }], unscannedCount: 1 };
  expect(verdicts({ security_scan: "block" }, unread)).toEqual(["/guardrails/security_scan failed"]);
  expect(verdicts({ security_scan: "error" }, unread)).toEqual(["/guardrails/security_scan not_checked"]);
  expect(verdicts({ security_scan: "error" }, { unscannedCount: 3 })).toEqual([
    "/guardrails/security_scan not_checked",
  ]);
  const high = { ...unread, findings: [{ ...finding, severity: "high" } as const] };
  expect(verdicts({ security_scan: "error" }, high)).toEqual(["/guardrails/security_scan failed"]);
  const data = { unscanned: [{ path: "a.db", reason: dataOnly }], unscannedCount: 1 };
  expect(verdicts({ security_scan: "error" }, data)).toEqual(["/guardrails/security_scan passed"]);
});

test.for([
  [undefined, "failed"],
  ["MIT", "passed"],
  ["GPL-3.0-only", "failed"],
  ["(GPL-3.0-only OR MIT)", "passed"],
  ["MIT AND GPL-3.0-only", "failed"],
  ["Apache-2.0 WITH LLVM-exception AND MIT", "passed"],
  ["SEE LICENSE IN x", "failed"],
  ["MIT OR", "failed"],
] as const)("the licence %s is %s by a list of MIT and Apache-2.0", ([license, verdict]) => {
  const guardrails = { security_scan: "off", license_whitelist: ["MIT", "Apache-2.0"] } as const;
  const result = { components: [component, { ...component, name: "ropes", license }] };
  const [line] = judgeScan({ guardrails: guardrailsOf(guardrails) }, { ...clean, ...result });
  expect(line?.verdict).toBe(verdict);
  if (verdict === "failed") expect(line?.reason).toContain("ropes@1.2.3");
});

test("without packages of others every list of licences holds", () => {
  expect(verdicts({ security_scan: "off", license_whitelist: ["MIT"] })).toEqual([
    "/guardrails/license_whitelist passed",
  ]);
});

test("lint that nobody did is never green", () => {
  expect(verdicts({ security_scan: "off", lint: true })).toEqual(["/guardrails/lint not_checked"]);
  const problems = [{ path: "a.js", line: 1, ruleId: "no-debugger", message: "Unexpected 'debugger'." }];
  expect(
    verdicts({ security_scan: "off", lint: true }, { lint: { is: "done", unread: [], files: 1, problems } }),
  ).toEqual(["/guardrails/lint failed"]);
});
