import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { withoutDataModel } from "./api-documents.ts";
import { buildDocument, unmetOf, writeOut } from "./build-document.ts";
import { checkRequests, measurePythonCoverage, runCommand, startProject } from "./run-project.ts";

const corkboard = await readFile(new URL("../../../examples/api.yaml", import.meta.url), "utf8");

/** The same document, for another language. */
function inPython(text: string): string {
  const { acceptance, ...document } = parse(text);
  const { tests: _, ...rest } = acceptance;
  const stack = { language: "python", framework: "none", storage: "file" };
  return stringify({ ...document, stack, scripts: { start: "python3 app.py" }, acceptance: rest });
}

test("the example: its own tests pass and cover it, and every request is answered as written", async () => {
  const built = await buildDocument(inPython(corkboard));
  const folder = await writeOut(built);
  const { share, output } = await measurePythonCoverage(folder, built.scripts["test"]!);
  expect(output).not.toMatch(/^(?:FAILED|ERROR)/m);
  console.log(`covered: ${share}`);
  expect(share).toBeGreaterThan(0.85);
  const url = await startProject(folder, built.scripts["start"]!);
  expect(await checkRequests(built.document, url)).toEqual([]);
  expect(unmetOf(built)).toEqual([]);
});

test("a document without a data model: what it asks for is read off its requests", async () => {
  const built = await buildDocument(inPython(withoutDataModel));
  const folder = await writeOut(built);
  expect(
    await runCommand(folder, "python3 -m unittest discover -s tests/integration -p 'test_[ar]*.py'"),
  ).toMatchObject({ code: 0 });
  const url = await startProject(folder, built.scripts["start"]!);
  expect(await checkRequests(built.document, url)).toEqual([]);
});

test("a program that is broken fails its own tests", async () => {
  const built = await buildDocument(inPython(corkboard));
  const folder = await writeOut(built);
  const place = join(folder, "service/store.py");
  await writeFile(place, (await readFile(place, "utf8")).replace("os.truncate(path, len(whole))", "pass"));
  expect((await runCommand(folder, "python3 -m unittest discover -s tests/unit")).code).not.toBe(0);
});

test("the same document gives the same bytes, whatever the order of tasks", async () => {
  const first = await buildDocument(inPython(withoutDataModel));
  const reversed = await buildDocument(inPython(withoutDataModel), { isReversed: true });
  expect(new Map([...reversed.files].toSorted())).toEqual(new Map([...first.files].toSorted()));
});

test("frameworks and test runners that are not there are said", async () => {
  const stack = { language: "python", framework: "fastapi", database: "sqlite" };
  const built = await buildDocument(stringify({ ...parse(withoutDataModel), stack, scripts: { test: "pytest" } }));
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual([
    "/stack/framework",
    "/stack/database",
    "/scripts/test",
  ]);
});
