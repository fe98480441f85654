import assert from "node:assert/strict";
import { test } from "node:test";
import { columnNames, completeRows, encode, fitColumns, inferColumns } from "#src/columns.js";
import { applyScale, fitScale } from "#src/scale.js";
import { smallSettings } from "#testing/small-data.js";

const infer = (rows, changes = {}) => inferColumns(smallSettings("good", {}, changes), rows);

test("types are inferred from all values", () => {
  const rows = [
    { n: "1.5", b: "yes", d: "2026-01-01", c: "x", m: "1" },
    { n: null, b: "no", d: "2026-02-01", c: "y", m: "z" },
  ];
  assert.deepEqual(infer(rows).columns.map(({ type }) => type), ["number", "boolean", "date", "category", "category"]);
});

test("columns of no use are left out and named", () => {
  const rows = Array.from({ length: 20 }, (_, number) => ({ id: `row ${number}`, empty: null, secret: number, a: number % 3 }));
  const { columns, leftOut } = infer(rows, { ignore: ["secret"] });
  assert.deepEqual(columns.map(({ name }) => name), ["a"]);
  assert.deepEqual(leftOut.map((reason) => reason.split(":")[0]), ["id", "empty", "secret"]);
});

test("a type that is told counts and is checked", () => {
  const told = (type) => ({ columns: { code: { type } } });
  assert.equal(infer([{ code: "7" }, { code: "8" }], told("category")).columns[0].type, "category");
  const { columns } = infer([{ code: "7" }, { code: "x" }], told("number"));
  assert.throws(() => fitColumns(columns, [{ code: "x" }]), /'code' must be a number, not 'x'/);
});

test("what is missing is filled as in training, and the model is told", () => {
  const rows = [{ n: 1, c: "x" }, { n: 3, c: "y" }, { n: 100, c: "x" }, { n: null, c: null }];
  const columns = fitColumns(infer(rows).columns, rows);
  assert.deepEqual(columnNames(columns), ["n", "n is missing", "c = x", "c = y", "c is missing"]);
  assert.deepEqual(encode(columns, { n: null }), [3, 1, 0, 0, 1]);
  assert.deepEqual(encode(columns, { n: "2", c: "never seen" }), [2, 0, 0, 0, 0]);
});

test("what was never missing may not be", () => {
  const rows = [{ n: 1, b: true }, { n: 2, b: false }];
  const columns = fitColumns(infer(rows).columns, rows);
  assert.throws(() => encode(columns, { n: 1 }), /'b' is missing/);
});

test("rows without a value are dropped or refused as told", () => {
  const rows = [{ n: 1, m: 1 }, { n: null, m: 2 }];
  const columnsWith = (missing) => infer(rows, { columns: { n: { missing } } }).columns;
  assert.deepEqual(completeRows(columnsWith("drop"), rows), rows.slice(0, 1));
  assert.throws(() => completeRows(columnsWith("refuse"), rows), /row 2 has no 'n'/);
});

test("columns get the same scale", () => {
  const table = [[1, 5], [3, 5]];
  const scale = fitScale(table, true);
  assert.deepEqual([applyScale(scale, [1, 5]), applyScale(scale, [3, 5])], [[-1, 0], [1, 0]]);
  assert.deepEqual(applyScale(fitScale(table, false), [3, 5]), [3, 5]);
});
