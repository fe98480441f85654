import assert from "node:assert/strict";
import { test } from "node:test";
import { applyScale, columnNames, fitScale, MissingFeature, numbersOf } from "#src/features.js";
import { smallSettings } from "#testing/small-settings.js";

const { features } = smallSettings();
const row = { size: 4.5, count: 2, wait: 0.5, fresh: true, colour: "blue" };

test("a row becomes numbers", () => {
  assert.deepEqual(numbersOf(features, row), [4.5, 2, 0.5, 1, 0, 1]);
  assert.deepEqual(columnNames(features).slice(-2), ["colour = red", "colour = blue"]);
});

test("what is missing or of another kind is named", () => {
  const wrong = { size: "big", count: true, wait: Number.NaN, fresh: 1, colour: "green" };
  for (const [name, value] of Object.entries(wrong))
    assert.throws(() => numbersOf(features, { ...row, [name]: value }), (error) => {
      return error instanceof MissingFeature && error.message.includes(`'${name}'`);
    });
  const { count: _, ...withoutCount } = row;
  assert.throws(() => numbersOf(features, withoutCount), /'count' is missing/);
});

test("columns get the same scale", () => {
  const table = [
    [1, 5],
    [3, 5],
  ];
  const scale = fitScale(table, true);
  assert.deepEqual(applyScale(scale, [1, 5]), [-1, 0]);
  assert.deepEqual(applyScale(scale, [3, 5]), [1, 0]);
  assert.deepEqual(applyScale(fitScale(table, false), [3, 5]), [3, 5]);
});
