import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readCsv, splitCsv } from "#src/csv.js";
import { Failure } from "#src/errors.js";
import { sheetWith, table } from "#src/output.js";
import { program } from "#src/program.js";
import { fields } from "#src/record.js";
import { asFilters, fieldsNamed, matching, numberOf, sorted, sumOf, textOf } from "#src/records.js";
import { resourcesFor } from "#src/resources.js";
import { openStore } from "#src/store.js";
import { temporaryFolder } from "#tools/run-program.js";

test("records are kept, found, changed and removed; numbers are not used twice", async (t) => {
  const folder = await temporaryFolder(t);
  const store = openStore(join(folder, "deep", "data.json"));
  assert.deepEqual(await store.all(), []);
  assert.equal((await store.add({ note: "first" })).id, 1);
  assert.equal((await store.add({ note: "second" })).id, 2);
  assert.equal((await store.change(1, { note: "changed" })).note, "changed");
  assert.equal((await store.all())[0].note, "changed");
  assert.equal((await store.remove(2)).note, "second");
  assert.equal((await store.add({})).id, 3);
  for (const act of [store.change, store.remove]) await assert.rejects(act(2, {}), /number 2/);
  assert.deepEqual(await readdir(join(folder, "deep")), ["data.json"]);
});

test("a file that is no data file is told and left as it is", async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, "data.json");
  for (const content of ["{", '{"records":1}']) {
    await writeFile(file, content);
    await assert.rejects(openStore(file).add({}), Failure);
    assert.equal(await readFile(file, "utf8"), content);
  }
  await assert.rejects(openStore(folder).all(), /cannot be read/);
  await assert.rejects(openStore(join(file, "below")).add({}), Failure);
});

test("cells of CSV may hold commas, quotes and line breaks", () => {
  assert.deepEqual(splitCsv('a,b\r\n"1,5","say ""hi""\nthere"\n\n,\n'), [
    ["a", "b"],
    ["1,5", 'say "hi"\nthere'],
    ["", ""],
  ]);
  assert.deepEqual(splitCsv(""), []);
});

test("CSV becomes records, or the line that is wrong is told", () => {
  const known = [
    { name: "n", type: "integer", required: true },
    { name: "text", type: "string" },
  ];
  assert.deepEqual(readCsv("id,n,text\n9,4,\n8,5,x\n", known).map((record) => ({ ...record })), [
    { id: 1, n: 4 },
    { id: 2, n: 5, text: "x" },
  ]);
  assert.throws(() => readCsv("n,colour\n1,red\n", known), /unknown column 'colour'/);
  assert.throws(() => readCsv("n\nmany\n", known), /line 2 of the input: n must be a whole number/);
  assert.throws(() => readCsv("text\nx\n", known), /line 2 of the input: n is missing/);
});

test("input comes from standard input or from a file", async (t) => {
  const file = join(await temporaryFolder(t), "input.csv");
  await writeFile(file, "id\n");
  const read = (input) =>
    resourcesFor({ values: { input }, given: new Set() }, { env: {}, readInput: async () => "id\n" }).readRecords();
  assert.deepEqual(await read("-"), []);
  assert.deepEqual(await read(file), []);
  await assert.rejects(read(`${file}.gone`), /cannot be read/);
});

test("what comes as input is found by its number, and never changed", async (t) => {
  const file = join(await temporaryFolder(t), "data.json");
  const env = { [program.dataFile.variable]: file };
  const resources = (values) => resourcesFor({ values, given: new Set() }, { env, readInput: async () => "id\n" });
  await openStore(file).add({});
  assert.equal((await resources({}).findRecord(1)).id, 1);
  await assert.rejects(resources({}).findRecord(7), /7/);
  await assert.rejects(resources({ input: "-" }).findRecord(1), /1/);
  for (const change of ["add", "addAll", "change", "remove"])
    await assert.rejects(resources({ input: "-" }).store[change](1), /--input is only for commands that read/);
});

test("records are sorted and filtered", () => {
  const records = [
    { id: 1, day: "b" },
    { id: 2, day: "a" },
    { id: 3, day: "b" },
    { id: 4 },
  ];
  const ids = (list) => list.map(({ id }) => id);
  assert.deepEqual(ids(sorted(records, "day")), [4, 2, 1, 3]);
  assert.deepEqual(ids(sorted(records, "-day")), [3, 1, 2, 4]);
  assert.deepEqual(ids(sorted(records, "day", [{ name: "day", values: ["b", "a"] }])), [4, 1, 3, 2]);
  assert.deepEqual(ids(matching(records, { day: "b" })), [1, 3]);
  const [filter, own] = asFilters([
    { ...fields[0], required: true, default: "today" },
    { name: "no field", default: 7 },
  ]);
  assert.deepEqual([filter.required, filter.default, own.default], [false, undefined, 7]);
});

test("what a record lacks compares to no number, and is an empty text", () => {
  assert.deepEqual([numberOf(1), numberOf(undefined) < 1, numberOf(undefined) > 1], [1, false, false]);
  assert.deepEqual([textOf("a"), textOf(undefined)], ["a", ""]);
});

test("sums are exact, in all and by the value of a field", () => {
  const [{ name }] = fields;
  const records = [
    { cost: 0.1, [name]: "b" },
    { cost: 0.2, [name]: "a" },
    { cost: 0.3, [name]: "b" },
  ];
  assert.deepEqual(sumOf(records, "cost"), [{ key: "total", sum: 0.6 }]);
  assert.deepEqual(sumOf(records, "cost", name), [
    { key: "a", sum: 0.2 },
    { key: "b", sum: 0.4 },
  ]);
  assert.deepEqual(sumOf([], "cost"), [{ key: "total", sum: 0 }]);
});

test("tables have a column for each field", () => {
  const names = ["id", ...fields.map(({ name }) => name)];
  assert.deepEqual(fieldsNamed(...names).map(({ name }) => name), names);
  const [header, row] = table(sheetWith(names, [{ id: 7 }], fields)).split("\n");
  for (const name of names) assert.ok(header.includes(name));
  assert.ok(row.trim().startsWith("7"));
});
