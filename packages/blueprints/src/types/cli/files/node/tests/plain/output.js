import assert from "node:assert/strict";
import { test } from "node:test";
import { render, sheetWith } from "#src/output.js";

const data = [
  { name: "a, \"b\"", n: 1.5 },
  { name: "c", n: 10 },
];

test("a result is shown in the format that is asked for", () => {
  assert.equal(render("text", { data, text: "two" }), "two");
  assert.deepEqual(JSON.parse(render("json", { data, text: "" })), data);
  assert.equal(render("csv", { data, text: "" }), 'name,n\n"a, ""b""",1.5\nc,10');
  assert.equal(render("table", { data, text: "" }), 'name      n\na, "b"  1.5\nc        10');
});

test("a sheet has the columns that are asked for, and values as people write them", () => {
  const sheet = sheetWith(["n", "gone"], data, [{ name: "n", decimals: 2 }]);
  assert.deepEqual(sheet.rows, [["1.50", ""], ["10.00", ""]]);
  assert.equal(render("table", { data: {}, text: "", sheet: sheetWith(["n"], []) }), "n");
});
