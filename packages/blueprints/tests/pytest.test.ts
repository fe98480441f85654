// @module-tag soak
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { soakCases } from "../../../tools/soak-runs.ts";
import { buildDocument, documentOf, unmetOf, writeOut } from "./support/build-document.ts";
import { runIn } from "./support/run-project.ts";

const hasPytest = spawnSync("/usr/bin/python3", ["-I", "-c", "import pytest"]).status === 0;
if (!hasPytest) console.warn("the runs by pytest are skipped: apt-get install python3-pytest");

const stack = { language: "python" };
const tests = [{ file: "tests/**/test_*.py", type: "unit", framework: "pytest" }];
const sum = { name: "add", parameters: [{ name: "x", type: "number" }], returns: "number", result: "x + 1" };
const note = { fields: { text: { type: "string", required: true } } };
const documents: Readonly<Record<string, object>> = {
  library: { api_design: { functions: [{ ...sum, examples: [{ args: [1], returns: 2 }] }] } },
  api: { data_model: { note } },
};

test.each(soakCases(Object.keys(documents)))(
  "the type %s: a project whose document asks for pytest is tested by it",
  async (type) => {
    const built = await buildDocument(documentOf(type, { stack, ...documents[type], acceptance: { tests } }));
    expect(unmetOf(built)).toEqual([]);
    const command = built.scripts["test"]!;
    expect(command).toMatch(/^python3 -m pytest /);
    if (!hasPytest) return;
    const folder = await writeOut(built);
    // All tests of a service would take long, and what they say is tested elsewhere.
    const some = type === "api" ? " -k 'validate or security'" : "";
    const { exitCode, stdout } = await runIn(folder, command.replace("python3", "/usr/bin/python3") + some);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toMatch(/[1-9]\d* passed/);
  },
);

test.each(soakCases(Object.keys(documents)))(
  "the type %s: the script alone asks for it, and runs as people type it",
  async (type) => {
    const scripts = { test: "pytest -q" };
    const built = await buildDocument(documentOf(type, { stack, ...documents[type], scripts }));
    expect(unmetOf(built)).toEqual([]);
    expect(built.scripts["test"]).toBe("pytest -q");
    if (!hasPytest) return;
    // Unlike `python3 -m pytest`, the program itself does not look for modules in the folder where it starts.
    const program = `/usr/bin/python3 -P -c 'import pytest; raise SystemExit(pytest.main())' -q`;
    const { exitCode, stdout } = await runIn(await writeOut(built), `${program} -k 'not integration'`);
    expect(exitCode, stdout).toBe(0);
  },
);

test("what asks for another runner beside it is reported, and so is a command that it does not run", async () => {
  const mixed = [...tests, { file: "tests/test_*.py", type: "unit", framework: "unittest" }];
  const scripts = { test: "python3 -m unittest" };
  const built = await buildDocument(
    documentOf("library", { stack, ...documents["library"], scripts, acceptance: { tests: mixed } }),
  );
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual(["/scripts/test", "/acceptance/tests/1"]);
});

test("files of other names are found, too", async () => {
  const wanted = [{ file: "checks/check_*.py", type: "unit", framework: "pytest" }];
  const built = await buildDocument(
    documentOf("library", { stack, ...documents["library"], acceptance: { tests: wanted } }),
  );
  expect(built.scripts["test"]).toBe("python3 -m pytest -o python_files='*.py' checks");
  if (!hasPytest) return;
  const command = built.scripts["test"]!.replace("python3", "/usr/bin/python3");
  expect(await runIn(await writeOut(built), command)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/[1-9]\d* passed/),
  });
});
