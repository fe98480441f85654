import assert from "node:assert/strict";
import { test } from "node:test";
import { readDataset, splitRows } from "#src/dataset.js";
import { smallRows, smallSettings } from "#testing/small-data.js";

const rowsWith = (labels) => labels.map((good, n) => ({ n, good }));

test("no row is both learnt from and measured on, and each class has its share", () => {
  const labels = Array.from({ length: 100 }, (_, number) => (number < 80 ? "no" : "yes"));
  const { training, testing } = splitRows(readDataset(smallSettings(), rowsWith(labels)));
  assert.deepEqual([training.length, testing.length], [75, 25]);
  assert.equal(testing.filter(({ good }) => good === "yes").length, 5);
  const numbers = [...training, ...testing].map(({ n }) => n).sort((a, b) => a - b);
  assert.deepEqual(numbers, labels.map((_, number) => number));
});

test("the same seed divides the same way, and another one does not", () => {
  const split = (seed) => splitRows(readDataset(smallSettings("good", {}, { split: { test: 0.25, seed } }), smallRows()));
  assert.deepEqual(split(1), split(1));
  assert.notDeepEqual(split(1).testing, split(2).testing);
});

test("the positive class is yes, or the one that is named, or the rare one", () => {
  const classes = (labels, changes) => readDataset(smallSettings("good", {}, changes), rowsWith(labels)).classes;
  assert.deepEqual(classes(["yes", "no", "yes"]), ["no", "yes"]);
  assert.deepEqual(classes(["1", "0", "0"]), [0, 1]);
  assert.deepEqual(classes(["stays", "goes", "stays"]), ["stays", "goes"]);
  assert.deepEqual(classes(["stays", "goes", "stays"], { positive: "stays" }), ["goes", "stays"]);
});

test("numbers are predicted as numbers unless they are told to be classes", () => {
  const rows = rowsWith([1, 2, 3, 1, 2, 3]);
  assert.equal(readDataset(smallSettings(), rows).modelType, "linear_regression");
  const { classes, modelType } = readDataset(smallSettings("good", { task: "classification" }), rows);
  assert.deepEqual([classes, modelType], [[1, 2, 3], "naive_bayes"]);
});

test("rows without a label are counted and left out", () => {
  const { counts, rows } = readDataset(smallSettings(), rowsWith(["yes", null, "no", "no"]));
  assert.deepEqual([counts.given, counts.without_label, rows.length], [4, 1, 3]);
});

test("data that cannot be learnt from is refused with a reason", () => {
  const cases = [
    [smallSettings("other"), rowsWith(["a", "b"]), /no column is called 'other'/],
    [smallSettings(), rowsWith(["a", "a"]), /same value in every row/],
    [smallSettings(), [{ good: "a" }, { good: "b" }], /no column to learn from/],
    [smallSettings("good", { type: "linear_regression" }), rowsWith(["a", "b"]), /cannot predict 2 classes/],
    [smallSettings("good", { type: "logistic_regression" }), rowsWith(["a", "b", "c"]), /naive_bayes or decision_tree/],
    [smallSettings("good", { task: "regression" }), rowsWith(["a", "b"]), /must be a number, not 'a'/],
    [smallSettings("good", {}, { positive: "z" }), rowsWith(["a", "b"]), /positive class z/],
  ];
  for (const [settings, rows, reason] of cases) assert.throws(() => readDataset(settings, rows), reason);
  assert.throws(() => splitRows(readDataset(smallSettings(), rowsWith(["a", "b"]))), /too few rows/);
});
