import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createSandbox } from "../../../src/platform/sandbox/index.ts";
import { checkTypes } from "../../../src/verification/types/check-types.ts";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { documentWith, sharedSandbox, writeProject } from "../../support/verification/test-project.ts";

const hasMypy = spawnSync("/usr/bin/python3", ["-I", "-c", "import mypy"]).status === 0;
if (!hasMypy) console.warn("the test of types of Python is skipped: apt-get install mypy");

/** No program of this machine counts, unless a test says so. */
async function check(folder: string, machinePath = "/nowhere", sandbox = sharedSandbox()) {
  const document = documentWith({ guardrails: { type_check: true } });
  const toCheck = {
    ...{ document, folder, minuteMs: 60_000, cache: undefined, secrets: {} },
    signal: new AbortController().signal,
    openLog: () => ({ write: () => undefined, end: () => undefined }),
  };
  const { verdicts } = await checkTypes(await sandbox, toCheck, machinePath);
  expect(verdicts.map(({ pointer }) => pointer)).toEqual(["/guardrails/type_check"]);
  return verdicts[0]!;
}

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const good = "export const add = (a: number, b: number): number => a + b;\n";

test("a source that the configuration leaves out is not hidden by a thousand others", { tags: "long" }, async () => {
  const others = Array.from({ length: 1_000 }, (_, index) => [`z/${"z".repeat(90)}${index}.ts`, "export {};\n"]);
  const folder = writeProject({
    "tsconfig.json": '{ "compilerOptions": { "strict": true }, "include": ["src"] }\n',
    ...{ "src/add.ts": good, "a/bad.ts": 'export const three: number = "3";\n' },
    ...Object.fromEntries(others),
  });
  copyPackage("typescript", folder);
  expect(await check(folder)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("a/bad.ts(1,14): error TS2322"),
  });
});

const bad = 'export const three: number = "3";\n';

test("no name, size or amount of output hides an error of types", { tags: "long" }, async () => {
  const configured = (more = "") => `{ "compilerOptions": { "strict": true${more} }, "include": ["a", "app"] }\n`;
  const folder = writeProject({ "tsconfig.json": configured(), "a/add.ts": good });
  copyPackage("typescript", folder);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const reason = async () => (await check(folder)).reason;
  write("app/(group)/page.ts", bad);
  expect(await reason()).toContain("app/(group)/page.ts(1,14): error TS2322");
  const long = `app/${`${"l".repeat(200)}/`.repeat(3)}page.ts`;
  rmSync(join(folder, "app"), { recursive: true });
  write(long, bad);
  expect(await reason()).toContain("tsc found 1 error.");
  rmSync(join(folder, "app"), { recursive: true });
  write("app/large.ts", `// @ts-nocheck\n${bad}/*${" ".repeat(1024 * 1024)}*/\n`);
  expect(await reason()).toContain("@ts-nocheck");
  // The message of this one is longer than what is kept of the output.
  write("tsconfig.json", configured(', "noErrorTruncation": true'));
  write("app/large.ts", `export const x: "${"x".repeat(70_000)}" = 3;\n`);
  expect((await check(folder)).verdict).toBe("failed");
});

test.for(["listFiles", "explainFiles"])(
  "a checker that prints more by %s hides no error",
  { tags: "long" },
  async (option) => {
    const folder = writeProject({
      "tsconfig.json": '{ "compilerOptions": { "strict": true, "OPTION": true }, "include": ["src"] }\n'.replace(
        "OPTION",
        option,
      ),
      ...{ "a/first.ts": good, "src/bad.ts": bad },
      ...Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`src/${"y".repeat(150)}${index}.ts`, good])),
    });
    copyPackage("typescript", folder);
    expect((await check(folder)).verdict).toBe("failed");
  },
);

test("TypeScript is checked by the project's compiler; errors, looking away, exclusion and stubs fail", {
  tags: "long",
}, async () => {
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
  expect(await check(folder)).toMatchObject({ verdict: "passed" });
  write("src/more.ts", "export const three: string = 3;\n");
  expect(await check(folder)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("src/more.ts(1,14)"),
  });
  write("node_modules/typescript/bin/tsc", "process.exit(0);\n");
  expect(await check(folder)).toMatchObject({ verdict: "failed", reason: expect.stringContaining("was replaced") });
});

test("what tsconfig.json leaves out is checked by its options all the same", { tags: "long" }, async () => {
  const folder = writeProject({
    "tsconfig.json": `{ "compilerOptions": { "strict": true, "rootDir": "src" }, "include": ["src"], "exclude": ["src/old*"] }`,
    "src/add.ts": good,
    "src/old.ts": 'import { add } from "./add.js";\nexport const three: string = add(1, 2);\n',
    "make/make.ts": "export const made = 1;\n",
    "test/add.test.ts": 'import { test } from "a-runner-that-is-not-here";\ntest();\n',
  });
  copyPackage("typescript", folder);
  expect(await check(folder)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("src/old.ts(2,14): error TS2322"),
  });
  writeFileSync(join(folder, "src/old.ts"), good);
  expect(await check(folder)).toMatchObject({ verdict: "passed", reason: "tsc found no error." });
  expect(readdirSync(folder).sort()).toEqual(["make", "node_modules", "src", "test", "tsconfig.json"]);
});

test("a project without a compiler is checked by this machine's, tests beside it or not", {
  tags: "long",
}, async () => {
  const configuration = "packages/blueprints/src/types/library/files/typescript/tsconfig.json";
  const folder = writeProject({
    "package.json": '{ "type": "module" }\n',
    "tsconfig.json": readFileSync(join(root, configuration), "utf8"),
    "src/add.ts": good,
    "__tests__/add.test.ts": 'import "node:assert/strict";\nimport { add } from "../src/add.ts";\nadd(1, 2);\n',
  });
  // What lies here is in no folder that bubblewrap shows.
  const sandbox = createSandbox({ mode: "none", dataFolder: join(tmpdir(), "slipway-tested-data") });
  const here = join(root, "node_modules/.bin");
  expect(await check(folder, here, sandbox)).toMatchObject({ verdict: "passed", reason: "tsc found no error." });
  writeFileSync(join(folder, "src/more.ts"), "export const three: string = 3;\n");
  expect(await check(folder, here, sandbox)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("src/more.ts(1,14): error TS2322"),
  });
});

test.skipIf(!hasMypy)("Python is checked by mypy, whatever its configuration says", { tags: "long" }, async () => {
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
