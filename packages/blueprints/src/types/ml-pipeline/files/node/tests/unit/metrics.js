import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accuracy,
  classificationMetrics,
  logLoss,
  missedPromises,
  precisionRecallF1,
  regressionMetrics,
  rocAuc,
} from "#src/metrics.js";
import { modelCard } from "#src/model-card.js";
import { smallSettings } from "#testing/small-settings.js";

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
  const probabilities = [
    [0.8, 0.1, 0.1],
    [0.1, 0.8, 0.1],
    [0.1, 0.5, 0.4],
  ];
  const found = classificationMetrics(["a", "b", "c"], ["a", "b", "b"], probabilities, ["a", "b", "c"]);
  assert.equal(found.accuracy.toFixed(4), "0.6667");
  assert.equal(found.recall.toFixed(4), "0.6667");
  assert.equal(found.roc_auc, 1);
  assert.equal(Math.abs(logLoss([1])), 0);
});

test("errors of numbers", () => {
  const { r2, mse } = regressionMetrics([1, 2, 3], [1, 2, 5]);
  assert.deepEqual([r2.toFixed(6), mse.toFixed(6)], ["-1.000000", "1.333333"]);
  assert.equal(regressionMetrics([2], [2]).r2, 0);
});

test("promises that are not kept are told", () => {
  const settings = smallSettings();
  const good = {
    rows: { train: 8, test: 2 },
    metrics: { accuracy: 0.9, log_loss: 0.2 },
    baseline: { answer: true },
    beats_baseline_by: 0.3,
  };
  assert.deepEqual(missedPromises(settings, good), []);
  const bad = { ...good, metrics: { accuracy: 0.5, log_loss: 2 }, beats_baseline_by: 0 };
  const missed = missedPromises(settings, bad);
  assert.equal(missed.length, 3);
  assert.ok(missed.includes("accuracy is 0.5000 and must be at least 0.8"));
  assert.match(modelCard(settings, bad, missed), /not kept/);
  assert.match(modelCard(settings, bad, missed), /\| log_loss \| 2\.0000 \| at most 0\.6 \|/);
  assert.doesNotMatch(modelCard(settings, good, []), /not kept/);
});

test("a metric that is no number keeps no promise", () => {
  const report = { metrics: { accuracy: Number.NaN, log_loss: 0.1 }, beats_baseline_by: Number.NaN };
  assert.equal(missedPromises(smallSettings(), report).length, 2);
});
