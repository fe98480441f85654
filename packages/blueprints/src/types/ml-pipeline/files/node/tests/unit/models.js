import assert from "node:assert/strict";
import { test } from "node:test";
import { predict, rowWeights } from "#src/learning.js";
import { weightedSum } from "#src/models/descent.js";
import { solve } from "#src/models/linear-regression.js";
import { logistic } from "#src/models/logistic-regression.js";
import { goodRow, learn, smallRows, smallSettings } from "#testing/small-data.js";

test("a logistic regression finds the signs of the true weights", () => {
  const { trained, report } = learn(smallSettings());
  const weight = (name) => trained.model.weights[trained.inputs.indexOf(name)];
  assert.ok(weight("size") > 0 && weight("fresh") > 0 && weight("colour = red") > 0);
  assert.ok(Math.abs(weight("count")) < weight("size"));
  assert.ok(report.metrics.accuracy > 0.8);
  assert.ok(report.beats_baseline_by > 0.1);
});

test("a linear regression finds the true numbers", () => {
  const rows = smallRows().filter(({ size }) => size !== null);
  for (const method of ["least_squares", "gradient_descent"]) {
    const training = { ...smallSettings().model.training, method, l2: 0 };
    const { trained, report } = learn(smallSettings("price", { training }), rows);
    assert.ok(report.metrics.r2 > 0.97, method);
    assert.ok(Math.abs(predict(trained, goodRow).price - 44) < 1.5, method);
  }
});

test("trees and naive Bayes tell several classes apart", () => {
  for (const type of ["decision_tree", "naive_bayes"]) {
    const { trained, report } = learn(smallSettings("kind", { type }));
    assert.ok(report.beats_baseline_by > 0.1, type);
    assert.equal(predict(trained, goodRow).kind, "a", type);
  }
});

test("a model survives being written and read", () => {
  const cases = { logistic_regression: "good", decision_tree: "good", naive_bayes: "kind", linear_regression: "price" };
  for (const [type, label] of Object.entries(cases)) {
    const { trained } = learn(smallSettings(label, { type }));
    const read = JSON.parse(JSON.stringify(trained));
    for (const row of smallRows(20)) assert.deepEqual(predict(read, row), predict(trained, row));
  }
});

test("balanced weights find more of a rare class", () => {
  const rows = smallRows(600).filter(({ good, count }) => !good || count === 3);
  for (const type of ["logistic_regression", "naive_bayes", "decision_tree"]) {
    const recall = (class_weight) => learn(smallSettings("good", { type, class_weight }), rows).report.metrics.recall;
    assert.ok(recall("balanced") >= recall("none"), type);
  }
  assert.deepEqual(rowWeights([0, 0, 0, 1], 2, true), [4 / 6, 4 / 6, 4 / 6, 2]);
});

test("the parts of the arithmetic", () => {
  assert.equal(logistic(0), 0.5);
  assert.equal(logistic(-1e9), 0);
  assert.equal(weightedSum({ intercept: 1, weights: [2] }, [3]), 7);
  assert.deepEqual(solve([[0, 2, 4], [1, 1, 3]]), [1, 2]);
});
