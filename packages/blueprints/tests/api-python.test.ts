import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { apiDocument, bookingAcceptance, bookingKeys, unsharedKeys } from "./support/api-documents.ts";
import { buildDocument, expectSameBytes, readExample, unmetOf, writeOut } from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { pythonCoverage } from "./support/coverage.ts";
import { runIn, startProject } from "./support/run-project.ts";

const corkboard = await readExample("api");
const booking = apiDocument({ ...bookingKeys, stack: { language: "python" }, acceptance: bookingAcceptance });

/** The same document, for another language. */
function inPython(text: string): string {
  const { acceptance, ...document } = parse(text);
  const { tests: _, ...rest } = acceptance;
  const stack = { language: "python", framework: "none", storage: "file" };
  return stringify({ ...document, stack, scripts: { start: "python3 app.py" }, acceptance: rest });
}

test("the example: its own tests pass and cover it, and every request is answered as written", {
  tags: "long",
}, async () => {
  const built = await buildDocument(inPython(corkboard));
  const folder = await writeOut(built);
  expect(await pythonCoverage(folder, "service", ["tests/unit", "tests/integration"])).toBeGreaterThanOrEqual(0.85);
  const url = await startProject(folder, built.scripts["start"]!);
  await checkLines(built, folder, url);
  expect(unmetOf(built)).toEqual([]);
});

test("a document with accounts, roles and rules: its own tests pass, and every request is answered", {
  tags: "long",
}, async () => {
  const built = await buildDocument(booking);
  const folder = await writeOut(built);
  const tests = "python3 -m unittest discover -s tests/integration -p test_resources.py";
  expect(await runIn(folder, tests)).toMatchObject({ exitCode: 0 });
  const url = await startProject(folder, built.scripts["start"]!);
  await checkLines(built, folder, url);
  expect(unmetOf(built)).toEqual([]);
});

test("what no two records share is tried with values that fit; where none is known, that is said", {
  tags: "long",
}, async () => {
  const folder = await writeOut(await buildDocument(apiDocument({ ...unsharedKeys, stack: { language: "python" } })));
  const tests = "python3 -m unittest discover -v -s tests/integration -p test_resources.py";
  const { exitCode, stdout, stderr } = await runIn(folder, tests);
  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout + stderr).toContain("no value of odd is known that fits");
});

test("a body that is no JSON for others, or nested without end, is refused and stays nowhere", async () => {
  const data_model = { item: { fields: { price: { type: "number", min: 0 }, more: { type: "any" } } } };
  const built = await buildDocument(apiDocument({ data_model, stack: { language: "python" } }));
  const url = await startProject(await writeOut(built), built.scripts["start"]!);
  const send = async (body: string) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${url}/items`, { method: "POST", headers, body })).status;
  };
  for (const value of ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"]) {
    expect(await send(`{"price":${value}}`), value).toBe(400);
    expect(await send(`{"more":{"deep":[${value}]}}`), value).toBe(400);
  }
  expect(await send(`{"price":1${"0".repeat(400)}}`)).toBe(422);
  expect(await send(`${'{"more":'.repeat(50_000)}1${"}".repeat(50_000)}`)).toBe(400);
  expect(await send('{"price":1e308}')).toBe(201);
  const list = await fetch(`${url}/items`);
  expect(((await list.json()) as { total: number }).total).toBe(1);
  expect((await fetch(`${url}/items?page=${"9".repeat(5_000)}`)).status).toBe(400);
});

test("a program that is broken fails its own tests", { tags: "long" }, async () => {
  const built = await buildDocument(inPython(corkboard));
  const folder = await writeOut(built);
  const place = join(folder, "service/store.py");
  await writeFile(place, (await readFile(place, "utf8")).replace("reversed(self._undo)", "[]"));
  expect((await runIn(folder, "python3 -m unittest discover -s tests/unit")).exitCode).not.toBe(0);
});

test("the same document gives the same bytes, whatever the order of tasks", async () => {
  await expectSameBytes(booking);
});

test("frameworks and test runners that are not there are reported", async () => {
  const stack = { language: "python", framework: "fastapi", database: "mysql", storage: "sqlite" };
  const built = await buildDocument(stringify({ ...parse(booking), stack, scripts: { test: "nose2" } }));
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual([
    "/stack/framework",
    "/stack/database",
    "/scripts/test",
  ]);
});
