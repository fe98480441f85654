import type { VerdictCounts } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { count } from "../../platform/count.ts";
import { withVerdicts } from "../../verification/index.ts";
import type { NewArtifact, RunError } from "../lifecycle/index.ts";
import { type ReportSources, reportFiles } from "./acceptance-report.ts";
import { storeText } from "./store-artifact.ts";
import { deploymentTimePointer, zeroDowntimePointer } from "./why-refused.ts";

interface Deps {
  readonly reports: ReportSources;
  readonly blobs: BlobStore;
  readonly minuteMs: number;
}

interface Shown {
  readonly tookMs: number;
  readonly report: {
    readonly previous_version: string | null;
    readonly requests: { readonly total: number; readonly dropped: number } | null;
    readonly unserved_ms: number;
  };
}

interface Judged {
  readonly pointer: string;
  readonly verdict: "passed" | "failed" | "not_checked";
  readonly reason: string;
  readonly durationMs?: number;
}

/** Judges the lines that only a deployment itself can show, and adds them to the project's report. */
export async function judgeDeployment(
  { reports, blobs, minuteMs }: Deps,
  { projectId, document }: { readonly projectId: string; readonly document: CompleteSpec },
  shown: Shown,
): Promise<{ error?: RunError; checks?: VerdictCounts; artifacts?: readonly NewArtifact[] }> {
  const verdicts = [...judgeTime(document, shown, minuteMs), ...judgeDowntime(document, shown)];
  if (verdicts.length === 0) return {};
  const failed = verdicts.find(({ verdict }) => verdict === "failed");
  const error = failed === undefined ? {} : { error: { code: "deployment_failed", message: failed.reason } };
  const report = await reports.current(projectId);
  if (report === undefined) return error;
  const now = withVerdicts(report, verdicts);
  const files = reportFiles(document.name, now);
  const artifacts = await Promise.all(files.map((file) => storeText(blobs, projectId, file)));
  return { ...error, checks: now.counts, artifacts };
}

function judgeTime({ acceptance }: CompleteSpec, { tookMs }: Shown, minuteMs: number): Judged[] {
  const limit = acceptance.deployment_time_max_minutes;
  if (limit === undefined) return [];
  const reason = `It was live after ${Math.round(tookMs / 100) / 10} s; at most ${limit} minutes are allowed.`;
  const verdict = tookMs <= limit * minuteMs ? "passed" : "failed";
  return [{ pointer: deploymentTimePointer, verdict, reason, durationMs: Math.round(tookMs) }];
}

function judgeDowntime({ acceptance }: CompleteSpec, { report }: Shown): Judged[] {
  if ((acceptance as Readonly<Record<string, unknown>>)["zero_downtime"] !== true) return [];
  const { previous_version, requests, unserved_ms } = report;
  const line = (verdict: Judged["verdict"], reason: string) => [{ pointer: zeroDowntimePointer, verdict, reason }];
  if (previous_version === null) return line("passed", "Nothing was live before.");
  if (requests !== null && requests.dropped > 0)
    return line(
      "failed",
      `${requests.dropped} of ${count(requests.total, "request")} ${requests.dropped === 1 ? "was" : "were"} dropped.`,
    );
  if (unserved_ms > 0)
    return line("failed", `Nothing answered for ${unserved_ms} ms. Use another strategy than 'recreate'.`);
  if (requests === null)
    return line("not_checked", "Requests go past the service here: nobody knows whether all were answered.");
  return line("passed", `None of ${count(requests.total, "request")} was dropped; something answered all the time.`);
}
