import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { expect, onTestFinished, test } from "vitest";
import { checkScores } from "../../../src/verification/probes/check-scores.ts";

/** The verdict on one limit, where an evaluation wrote this. */
async function judged(metric: string, limit: unknown, written: unknown) {
  const folder = await mkdtemp(join(tmpdir(), "slipway-scores-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "metrics.json"), JSON.stringify({ [metric]: written }));
  const document = {
    outcome_type: "ml-pipeline",
    pipeline: { outputs: { metrics: "metrics.json" } },
    acceptance: { metrics: { [metric]: limit } },
  } as unknown as CompleteSpec;
  const signal = new AbortController().signal;
  const [verdict] = await checkScores({ document, folder, signal }, acceptanceLines(document));
  return verdict;
}

test.each([
  ["accuracy", 0.9, 0.93, "passed"],
  ["accuracy", 0.9, 40, "not_checked"],
  ["accuracy", 90, 93, "passed"],
  ["accuracy", 90, 0.93, "not_checked"],
  ["accuracy", "90 %", 0.93, "passed"],
  ["accuracy", "90 %", 93, "passed"],
  ["accuracy", "90 %", 40, "failed"],
  ["accuracy_percent", 90, 93, "passed"],
  ["accuracy_percent", 90, 40, "failed"],
  ["mape_percent", 5, 3, "passed"],
  ["mape_percent", 5, 7, "failed"],
  ["inference_ms", 5, 3, "passed"],
  ["inference_ms", "< 0.01 s", 3, "passed"],
  ["inference_ms", "< 0.01 s", 30, "failed"],
  ["training", "< 60 s", 30, "not_checked"],
  ["churn", "< 5 %", 0.03, "passed"],
  ["mape", "< 5 %", 3, "not_checked"],
  ["mae", 3, 3, "passed"],
] as const)("%s, limited to %s, is judged in the limit's unit where %s is written: %s", async (...given) => {
  const [metric, limit, written, verdict] = given;
  expect(await judged(metric, limit, written)).toMatchObject({ verdict });
});

test("a score is told in the unit that it was written in", async () => {
  expect(await judged("accuracy", 90, 93)).toMatchObject({ measured: [{ value: 93, unit: "count" }] });
  expect(await judged("accuracy", 0.9, 0.93)).toMatchObject({ measured: [{ value: 0.93, unit: "share" }] });
});

test("a score that cannot be compared with its limit is told with what to do", async () => {
  expect(await judged("f1", 0.8, 84)).toMatchObject({
    reason:
      "f1 is 84, asked for at least 0.8. The evaluation of the result wrote it to metrics.json. f1 is a share, from 0 to 1: let it be written so, or the limit in percent.",
    measured: [],
  });
});
