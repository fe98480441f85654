import assert from "node:assert/strict";
import { test } from "node:test";
import { missedBy } from "#src/evaluation.js";
import {
  accuracy,
  classificationMetrics,
  classReport,
  logLoss,
  precisionRecallF1,
  regressionMetrics,
  rocAuc,
} from "#src/metrics.js";
import { modelCard } from "#src/model-card.js";
import { learn, smallSettings } from "#testing/small-data.js";

test("shares of right answers", () => {
  const truths = [true, true, false, false];
  const predictions = [true, false, true, false];
  assert.equal(accuracy(truths, predictions), 0.5);
  assert.deepEqual(precisionRecallF1(truths, predictions, true), { precision: 0.5, recall: 0.5, f1: 0.5 });
  assert.deepEqual(precisionRecallF1([false], [false], true), { precision: 0, recall: 0, f1: 0 });
});

test("the area under the curve", () => {
  assert.equal(rocAuc([false, false, true, true], [0.1, 0.2, 0.8, 0.9]), 1);
  assert.equal(rocAuc([true, false], [0.1, 0.9]), 0);
  assert.equal(rocAuc([true, false, true, false], [0.5, 0.5, 0.5, 0.5]), 0.5);
  assert.equal(rocAuc([true, true], [0.1, 0.9]), 0.5);
});

test("several classes are averaged", () => {
  const probabilities = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.5, 0.4]];
  const found = classificationMetrics(["a", "b", "c"], ["a", "b", "b"], probabilities, ["a", "b", "c"]);
  assert.equal(found.accuracy.toFixed(4), "0.6667");
  assert.equal(found.recall.toFixed(4), "0.6667");
  assert.equal(found.roc_auc, 1);
  assert.equal(Math.abs(logLoss([1])), 0);
});

test("a rare class does not hide behind a frequent one", () => {
  const truths = [...Array(9).fill("no"), "yes"];
  const predictions = Array(10).fill("no");
  const found = classificationMetrics(truths, predictions, Array(10).fill([0.9, 0.1]), ["no", "yes"]);
  assert.deepEqual([found.accuracy, found.balanced_accuracy, found.recall], [0.9, 0.5, 0]);
  const [, ofYes] = classReport(truths, predictions, ["no", "yes"]);
  assert.deepEqual([ofYes.rows, ofYes.taken_for[0]], [1, { class: "no", rows: 1 }]);
});

test("errors of numbers", () => {
  const { r2, rmse } = regressionMetrics([1, 2, 3], [1, 2, 5]);
  assert.deepEqual([r2.toFixed(6), (rmse ** 2).toFixed(6)], ["-1.000000", "1.333333"]);
  assert.equal(regressionMetrics([2], [2]).r2, 0);
});

const noLimits = { min: {}, max: {} };

test("a model that learnt nothing does not beat the baseline", () => {
  const rows = Array.from({ length: 90 }, (_, number) => ({ n: number % 2, good: number % 3 === 0 ? "no" : "yes" }));
  const { dataset, report } = learn(smallSettings(), rows);
  const missed = missedBy(dataset.settings, report, noLimits);
  assert.match(missed[0], /accuracy is 0\.6522, and 0\.6522 for always yes/);
  assert.match(modelCard(dataset, report, missed), /\*\*Not reached:\*\*/);
});

test("limits and margins that are missed are told with the numbers", () => {
  const { dataset, report } = learn(smallSettings("good", { beats_baseline_by: 0.9 }));
  const missed = missedBy(dataset.settings, report, { min: { accuracy: 1.1, f1: 0.1 }, max: { log_loss: 0 } });
  assert.deepEqual(missed.slice(1).map((sentence) => sentence.split(" is ")[0]), ["accuracy", "log_loss"]);
  assert.match(missed[0], /must be better by 0\.9/);
});

test("a metric that is no number is not good enough", () => {
  const { dataset, report } = learn(smallSettings());
  const broken = { ...report, metrics: { ...report.metrics, f1: Number.NaN }, beats_baseline_by: Number.NaN };
  assert.equal(missedBy(dataset.settings, broken, { min: { f1: 0 }, max: {} }).length, 2);
});

test("the baseline may be one question, and the metric another", () => {
  const usual = learn(smallSettings()).report;
  const question = learn(smallSettings("good", { baseline: "one_question", metric: "log_loss" })).report;
  assert.ok(question.baseline.accuracy > usual.baseline.accuracy);
  assert.equal(question.beats_baseline_by, -(question.metrics.log_loss - question.baseline.log_loss));
  assert.throws(() => learn(smallSettings("good", { metric: "r2" })), /r2 is not measured/);
});

test("the model card says what the data is", () => {
  const { dataset, report } = learn(smallSettings("price", {}, { data_kind: "synthetic" }));
  const card = modelCard(dataset, report, []);
  assert.match(card.split("\n")[2], /\*\*Synthetic data:\*\*/);
  assert.match(card, /\| size \| number \| 20 \|/);
  assert.doesNotMatch(card, /Not reached/);
});
