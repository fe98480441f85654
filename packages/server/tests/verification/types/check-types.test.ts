import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkTypes } from "../../../src/verification/types/check-types.ts";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { documentWith, sharedSandbox, writeProject } from "../../support/verification/test-project.ts";

const hasMypy = spawnSync("/usr/bin/python3", ["-I", "-c", "import mypy"]).status === 0;
if (!hasMypy) console.warn("the test of types of Python is skipped: apt-get install mypy");

async function check(folder: string) {
  const document = documentWith({ guardrails: { type_check: true } });
  const { verdicts } = await checkTypes(await sharedSandbox(), {
    ...{ document, folder, minuteMs: 60_000, cache: undefined, secrets: {} },
    signal: new AbortController().signal,
    openLog: () => ({ write: () => undefined, end: () => undefined }),
  });
  expect(verdicts.map(({ pointer }) => pointer)).toEqual(["/guardrails/type_check"]);
  return verdicts[0]!;
}

const good = "export const add = (a: number, b: number): number => a + b;\n";

test("TypeScript is checked by the project's compiler; errors, looking away, exclusion and stubs fail", async () => {
  const folder = writeProject({
    "tsconfig.json": '{ // as tsc writes it\n  "compilerOptions": { "strict": true }, "include": ["src"] }\n',
    "src/add.ts": good,
  });
  expect(await check(folder)).toMatchObject({
    verdict: "not_checked",
    reason: expect.stringContaining("Let scripts.build install it"),
  });
  copyPackage("typescript", folder);
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  expect(await check(folder)).toMatchObject({ verdict: "passed", reason: "tsc found no error." });
  write("src/more.ts", 'import { add } from "./add.js";\nexport const three: string = add(1, 2);\n');
  expect(await check(folder)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("src/more.ts(2,14): error TS2322"),
  });
  write("src/more.ts", "// @ts-nocheck\nexport const three: string = 3;\n");
  expect(await check(folder)).toMatchObject({ verdict: "failed", reason: expect.stringContaining("@ts-nocheck") });
  write("src/more.ts", good);
  write("tsconfig.json", '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }\n');
  write("tsconfig.app.json", '{ "compilerOptions": { "strict": true, "composite": true }, "include": ["src"] }\n');
  expect(await check(folder)).toMatchObject({ verdict: "passed" });
  write("tsconfig.app.json", '{ "compilerOptions": { "composite": true }, "files": ["src/add.ts"] }\n');
  expect(await check(folder)).toMatchObject({ verdict: "failed", reason: expect.stringContaining("leaves files out") });
  write("node_modules/typescript/bin/tsc", "process.exit(0);\n");
  expect(await check(folder)).toMatchObject({ verdict: "failed", reason: expect.stringContaining("was replaced") });
});

test.skipIf(!hasMypy)("Python is checked by mypy, whatever its configuration says", async () => {
  const folder = writeProject({ "src/app.py": "def add(a: int, b: int) -> int:\n    return a + b\n" });
  expect(await check(folder)).toMatchObject({ verdict: "passed" });
  writeFileSync(join(folder, "src/more.py"), 'three: int = "3"\n');
  writeFileSync(join(folder, "mypy.ini"), "[mypy]\nignore_errors = True\n");
  expect(await check(folder)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("src/more.py:1: error: Incompatible types"),
  });
  writeFileSync(join(folder, "src/more.py"), '# mypy: ignore-errors\nthree: int = "3"\n');
  expect(await check(folder)).toMatchObject({ verdict: "failed", reason: expect.stringContaining("ignore-errors") });
});

test("a project in another language is not checked, and the verdict says who could", async () => {
  expect(await check(writeProject({ "main.go": "package main\n" }))).toMatchObject({
    verdict: "not_checked",
    reason: expect.stringContaining("Let scripts.build run it"),
  });
});
