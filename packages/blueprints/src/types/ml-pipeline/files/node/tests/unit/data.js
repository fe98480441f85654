import assert from "node:assert/strict";
import { test } from "node:test";
import { readCsv, writeCsv } from "#src/csv.js";
import { generateRows, labelOf, splitRows } from "#src/data.js";
import { loadSettings } from "#src/settings.js";
import { goodRow, smallSettings, threeClasses } from "#testing/small-settings.js";

test("the same seed makes the same rows, another one others", () => {
  assert.deepEqual(generateRows(smallSettings()), generateRows(smallSettings()));
  assert.notDeepEqual(generateRows(smallSettings()), generateRows(smallSettings({ seed: 6 })));
});

test("values keep their kind and limits", () => {
  const rows = generateRows(smallSettings());
  assert.equal(rows.length, 300);
  for (const { size, count, wait, fresh, colour } of rows) {
    assert.ok(size >= 0 && wait >= 0 && wait <= 20);
    assert.ok(Number.isInteger(count) && count >= 1 && count <= 9);
    assert.equal(typeof fresh, "boolean");
    assert.ok(["red", "blue"].includes(colour));
  }
  const reds = rows.filter(({ colour }) => colour === "red").length;
  assert.ok(reds > 60 && reds < 140, `${reds} of 300 are red, and a third should be`);
});

test("the label follows the written rule", () => {
  const settings = smallSettings();
  const exact = { ...settings, label: { ...settings.label, noise: 0 } };
  const row = { size: 12, count: 1, wait: 0, fresh: false, colour: "red" };
  assert.equal(labelOf(exact, row), true);
  assert.equal(labelOf(exact, { ...row, colour: "blue" }), false);
});

test("a label of several classes is the highest", () => {
  const settings = smallSettings({ label: { ...threeClasses, noise: 0 } });
  assert.equal(labelOf(settings, { ...goodRow, size: 20, fresh: false }), "a");
  assert.equal(labelOf(settings, { ...goodRow, size: 1 }), "c");
});

test("rows survive being written and read, whatever their texts hold", () => {
  const settings = smallSettings();
  const rows = generateRows(settings);
  assert.deepEqual(readCsv(settings, writeCsv(settings, rows)), rows);
  const values = ['a "quoted" one', "two\nlines", "a, b", ""];
  const odd = smallSettings({ features: [{ name: "x,y", type: "category", values }], label: { name: "z", type: "number" } });
  const oddRows = values.map((value, index) => ({ "x,y": value, z: index }));
  assert.deepEqual(readCsv(odd, writeCsv(odd, oddRows)), oddRows);
});

test("no row is both learnt from and measured on", () => {
  const rows = Array.from({ length: 100 }, (_, number) => number);
  const { training, testing } = splitRows(smallSettings(), rows);
  assert.deepEqual([training.length, testing.length], [80, 20]);
  assert.deepEqual([...training, ...testing].sort((a, b) => a - b), rows);
});

test("every column of this pipeline can be made", () => {
  const settings = { ...loadSettings(), rows: 50 };
  const names = [...settings.features.map(({ name }) => name), settings.label.name];
  for (const row of generateRows(settings)) assert.deepEqual(Object.keys(row).sort(), names.toSorted());
});
