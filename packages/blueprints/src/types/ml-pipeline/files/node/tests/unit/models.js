import assert from "node:assert/strict";
import { test } from "node:test";
import { generateRows, splitRows } from "#src/data.js";
import { evaluate } from "#src/evaluation.js";
import { answerOf, predict, readModel, train, writeModel } from "#src/learning.js";
import { weightedSum } from "#src/models/descent.js";
import { solve } from "#src/models/linear-regression.js";
import { logistic } from "#src/models/logistic-regression.js";
import { goodRow, numericLabel, smallSettings, threeClasses, withModel } from "#testing/small-settings.js";

function learn(settings) {
  const rows = splitRows(settings, generateRows(settings));
  const trained = train(settings, rows.training);
  return { trained, report: evaluate(trained, rows) };
}

test("a logistic regression finds the signs of the true weights", () => {
  const { trained, report } = learn(smallSettings());
  const [size, count, wait, fresh, red, blue] = trained.learnt.weights;
  assert.ok(size > 0 && count > 0 && fresh > 0 && red > 0 && blue < 0);
  assert.ok(Math.abs(wait) < size);
  assert.ok(report.metrics.accuracy > 0.85);
  assert.ok(report.beats_baseline_by > 0.1);
});

test("a linear regression finds the true numbers", () => {
  for (const method of ["least_squares", "gradient_descent"]) {
    const { report } = learn(withModel(numericLabel, "linear_regression", { method, l2: 0 }));
    assert.ok(report.metrics.r2 > 0.97, method);
  }
});

test("trees and naive Bayes tell several classes apart", () => {
  for (const type of ["decision_tree", "naive_bayes"]) {
    const { trained, report } = learn(withModel(threeClasses, type));
    assert.ok(report.beats_baseline_by > 0.1, type);
    assert.equal(predict(trained, { ...goodRow, size: 25, count: 1, fresh: false }).kind, "a", type);
  }
});

test("a model survives being written and read", () => {
  const { label } = smallSettings();
  const cases = [
    withModel(label, "logistic_regression"),
    withModel(label, "decision_tree"),
    withModel(label, "naive_bayes"),
    withModel(numericLabel, "linear_regression", { method: "least_squares" }),
  ];
  for (const settings of cases) {
    const { trained } = learn(settings);
    const read = readModel(settings, writeModel(trained));
    assert.equal(read.type, settings.model.type);
    for (const row of generateRows({ ...settings, rows: 20 })) assert.deepEqual(predict(read, row), predict(trained, row));
  }
});

test("a class that never occurs breaks nothing", () => {
  const settings = withModel({ ...threeClasses, values: ["a", "b", "c", "d"] }, "naive_bayes");
  const probabilities = answerOf(learn(settings).trained, goodRow);
  assert.equal(probabilities.reduce((sum, one) => sum + one, 0).toFixed(9), "1.000000000");
});

test("the parts of the arithmetic", () => {
  assert.equal(logistic(0), 0.5);
  assert.equal(logistic(-1e9), 0);
  assert.equal(weightedSum({ intercept: 1, weights: [2] }, [3]), 7);
  assert.deepEqual(
    solve([
      [0, 2, 4],
      [1, 1, 3],
    ]),
    [1, 2],
  );
});
