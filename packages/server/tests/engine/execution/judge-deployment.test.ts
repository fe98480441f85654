import type { AcceptanceReport } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { judgeDeployment } from "../../../src/engine/execution/judge-deployment.ts";

const pointer = "/acceptance/zero_downtime";
const line = { pointer, title: "No downtime", line: 1, verdict: "not_checked", reason: "Later.", evidence: [] };
const lists = {
  lines: [{ ...line, measured: [], tasks: [], usage: null, answered_by: null, phase: null, previous: null }],
  unmet: [],
  handed_on: [],
};
const report = {
  project_id: "prj",
  commit: null,
  checked_at: null,
  counts: {},
  ...lists,
} as unknown as AcceptanceReport;
const document = { name: "Shop", acceptance: { zero_downtime: true } } as unknown as CompleteSpec;

/** The verdicts by number, and why the version is taken back. */
async function judged(shown: object) {
  const reports = { current: async () => report };
  const blobs = { put: async () => ({ digest: "0", size: 0 }) };
  const deps = { reports, blobs, minuteMs: 60_000 } as unknown as Parameters<typeof judgeDeployment>[0];
  const change = { previous_version: "1", unserved_ms: 0, ...shown } as never;
  const to = { projectId: "prj", document };
  return judgeDeployment(deps, to, { tookMs: 1, report: change });
}

test.each([
  [{ requests: { total: 9, failed: 0, dropped: 0 } }, { passed: 1 }],
  [{ requests: { total: 9, failed: 0, dropped: 1 } }, { failed: 1 }],
  [{ requests: null }, { not_checked: 1 }],
  [{ requests: null, unserved_ms: 5 }, { failed: 1 }],
  [{ requests: null, previous_version: null }, { passed: 1 }],
])("no downtime is a verdict on requests that somebody has counted: %j", async (shown, counts) => {
  const { checks, error } = await judged(shown);
  expect(checks).toMatchObject(counts);
  expect(error === undefined).toBe(!("failed" in counts));
});
