import assert from "node:assert/strict";
import { test } from "node:test";
import { BadData, parseTable, writeCsv } from "#src/table.js";
import { toBoolean, toClass, toDate, toNumber, toText } from "#src/values.js";

test("CSV may have quotes, line breaks and other separators", () => {
  const text = '\ufeffname,"a, b",note\n x , 1,"two\nlines and ""quotes"""\r\n\ny,NA,\n';
  assert.deepEqual(parseTable(text, ["NA"], "csv"), [
    { name: "x", "a, b": "1", note: 'two\nlines and "quotes"' },
    { name: "y", "a, b": null, note: null },
  ]);
  assert.deepEqual(parseTable("a;b\n1,5;2\n", []), [{ a: "1,5", b: "2" }]);
  assert.deepEqual(parseTable("a\tb\n1\t2", []), [{ a: "1", b: "2" }]);
});

test("JSON may be a list, an object, or an object a line", () => {
  for (const text of ['[{"a": 1}, {"a": null}]', '{"a": 1}\n\n{"a": null}\n'])
    assert.deepEqual(parseTable(text, []), [{ a: 1 }, { a: null }]);
  assert.deepEqual(parseTable('{"a": " x "}', []), [{ a: "x" }]);
});

test("what cannot be read is refused with its row", () => {
  const cases = [
    ["a,b\n1,2\n3\n", /row 2 has 1 cells/],
    ["a,a\n1,2\n", /'a'/],
    ["a,\n1,2\n", /name of its own/],
    ["", /no line of column names/],
    ['a\n"open\n', /cannot be read/],
    ["[1]", /row 1/],
    ['{"a": [1]}', /'a' must be a single value/],
    ['{"a": 1}\n{"a"', /line 2/],
  ];
  for (const [text, reason] of cases)
    assert.throws(() => parseTable(text, []), (error) => error instanceof BadData && reason.test(error.message), text);
});

test("rows survive being written and read, whatever their texts hold", () => {
  const rows = ['x "y", z', "two\nlines", "semi;colon", "plain"].map((a, index) => ({ a, b: index % 2 === 0 }));
  const read = parseTable(writeCsv(rows), [], "csv").map(({ a, b }) => ({ a, b: toClass(b) }));
  assert.deepEqual(read, rows);
  assert.equal(writeCsv([{ a: null, b: 1 }]), 'a,b\n"",1\n');
});

test("a value is read as what it is", () => {
  assert.deepEqual(["-1.5e2", 3, "x", true, null, "1e999"].map(toNumber), [-150, 3, undefined, undefined, undefined, undefined]);
  assert.deepEqual(["Yes", "no", true, "1", 1].map(toBoolean), [1, 0, 1, undefined, undefined]);
  assert.deepEqual([true, 2, null].map(toText), ["true", "2", undefined]);
  assert.equal(toDate("2026-03-01") - toDate("2026-02-28"), 1);
  assert.deepEqual(["2026-02-30", "soon", 5].map(toDate), [undefined, undefined, undefined]);
  assert.deepEqual(["TRUE", "no", "1", "1.5"].map(toClass), [true, "no", 1, 1.5]);
});
