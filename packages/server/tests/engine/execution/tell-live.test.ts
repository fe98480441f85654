import type { AcceptanceReport } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { tellLive } from "../../../src/engine/execution/bring-live.ts";
import { BlobError } from "../../../src/platform/blobs/index.ts";

const pointer = "/acceptance/zero_downtime";
const line = { pointer, title: "No downtime", line: 1, verdict: "not_checked", reason: "Later.", evidence: [] };
const more = { measured: [], tasks: [], usage: null, answered_by: null, phase: null, previous: null };
const about = { project_id: "prj", commit: null, checked_at: null, counts: {} };
const report = { ...about, lines: [{ ...line, ...more }], unmet: [], handed_on: [] } as unknown as AcceptanceReport;

/** Tells of a version that went live so, and says why it was taken back. */
async function told(unservedMs: number, put: () => Promise<object> = async () => ({ digest: "0", size: 0 })) {
  const takenBack: string[] = [];
  const deployments = { takeBack: async (_: unknown, reason: string) => void takenBack.push(reason) };
  const deps = { deployments, blobs: { put }, reports: { current: async () => report }, minuteMs: 60_000 };
  const document = { name: "Shop", acceptance: { zero_downtime: true } };
  const toTell = { projectId: "prj", environment: "", document, secrets: { KEY: "swordfish" }, release: {} };
  const happened = { previous_version: "1", requests: null, unserved_ms: unservedMs };
  const file = { type: "bundle", path: "deployment/a", mediaType: "text/plain", digest: "1", size: 1 };
  const wentLive = { report: happened, rendered: [], files: [file], tookMs: 1 };
  const live = { deployment: { version: "2", url: "", usage: "" }, wentLive };
  return { outcome: await tellLive(deps as never, toTell as never, live as never), takenBack };
}

describe("a version that is live", () => {
  test("is judged and told, with what was stored of it", async () => {
    const { outcome, takenBack } = await told(0);
    const artifacts = expect.arrayContaining([
      expect.objectContaining({ path: "deployment/report.json" }),
      expect.objectContaining({ path: "deployment/a", digest: "1" }),
    ]);
    expect(outcome).toMatchObject({ is: "succeeded", deployment: { version: "2" }, artifacts });
    expect(takenBack).toEqual([]);
  });

  test("is taken back where it breaks what only the deployment can show", async () => {
    const { outcome, takenBack } = await told(5);
    expect(outcome).toMatchObject({ is: "failed", isFinal: true, error: { code: "deployment_failed" } });
    expect(takenBack).toEqual([expect.stringContaining("Nothing answered for 5 ms")]);
  });

  test("is taken back where nothing can be told of it, and not where that may be told later", async () => {
    const full = async () => Promise.reject(new BlobError("no_space", "No room for swordfish."));
    const { outcome, takenBack } = await told(0, full);
    expect(outcome).toMatchObject({ is: "failed", isFinal: true, error: { code: "no_space" } });
    expect(takenBack).toEqual([expect.stringMatching(/^No room for \*+\.$/)]);
    const away = await told(0, () => Promise.reject(new BlobError("store_unavailable", "Away.")));
    expect(away).toMatchObject({ outcome: { is: "failed", isFinal: false }, takenBack: ["Away."] });
    await expect(told(0, () => Promise.reject(new Error("killed")))).rejects.toThrow("killed");
  });
});
