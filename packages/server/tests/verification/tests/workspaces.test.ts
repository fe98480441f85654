import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findTests } from "../../../src/verification/tests/find-tests.ts";
import { parseTestScript } from "../../../src/verification/tests/parse-script.ts";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { withWorkspaces } from "../../support/verification/packages.ts";
import { documentWith, testFolder, writeProject } from "../../support/verification/test-project.ts";

const line = "/guardrails/tests_required";
const required = { guardrails: { tests_required: true, min_test_coverage: 0.9 } };
const nodes = 'import assert from "node:assert";\nimport { test } from "node:test";\n';
const vitests = 'import { expect, test } from "vitest";\n';
const manifest = (name: string, script?: string) =>
  JSON.stringify({ name, type: "module", ...(script && { scripts: { test: script } }) });

const all = withWorkspaces(
  { test: "npm test --workspaces" },
  {
    "packages/shared": { test: "vitest run" },
    "packages/web": { pretest: "echo first", test: "cd src && vitest run" },
    "packages/api": { test: "node --test" },
    "packages/docs": { build: "true" },
  },
);

test.for([
  [
    "npm test",
    [
      "packages/shared: vitest",
      "packages/web: echo first",
      "packages/web/src: vitest",
      "packages/api: node:test",
      "packages/docs: npm run test",
    ],
  ],
  [
    "npm run test -ws --if-present",
    ["packages/shared: vitest", "packages/web: echo first", "packages/web/src: vitest", "packages/api: node:test"],
  ],
  ["npm test -w @all/api && npm -w packages/shared test", ["packages/api: node:test", "packages/shared: vitest"]],
  ["npm test --workspace=@all/api --workspace @all/shared", ["packages/shared: vitest", "packages/api: node:test"]],
  ["npm --prefix packages/api test", ["packages/api: node:test"]],
  [
    "cd packages/api && npm test && cd ../shared && npx vitest run",
    ["packages/api: node:test", "packages/shared: vitest"],
  ],
  [
    "pnpm -r test",
    ["packages/shared: vitest", "packages/web: echo first", "packages/web/src: vitest", "packages/api: node:test"],
  ],
  ["pnpm --filter '@all/a*' run test", ["packages/api: node:test"]],
  ["pnpm -C packages/api test", ["packages/api: node:test"]],
  [
    "yarn workspaces foreach -A run test",
    ["packages/shared: vitest", "packages/web: echo first", "packages/web/src: vitest", "packages/api: node:test"],
  ],
  ["yarn workspace @all/shared test", ["packages/shared: vitest"]],
  ["yarn --cwd packages/api run test", ["packages/api: node:test"]],
  // What is no test is the package manager's: which of them comes first, and that some of its commands are no scripts.
  [
    "pnpm -r build && npm ci -ws && npm test -w @all/api",
    [".: pnpm -r build", ".: npm ci -ws", "packages/api: node:test"],
  ],
  [
    "npm --prefix packages/api ci && npm --prefix packages/api test",
    [".: npm --prefix packages/api ci", "packages/api: node:test"],
  ],
  [
    "bun run --filter '*' test && node --test",
    [
      "packages/shared: vitest",
      "packages/web: echo first",
      "packages/web/src: vitest",
      "packages/api: node:test",
      "packages/docs: npm run test",
      ".: node:test",
    ],
  ],
] as const)("'%s' runs each workspace's own script where it is", ([script, told]) => {
  const steps = parseTestScript(script, all);
  const said = steps?.map((one) => `${one.startsIn ?? "."}: ${one.is === "tests" ? one.runner : one.command}`);
  expect(said).toEqual(told);
});

test.for([
  "npm test -w none",
  "npm test --workspaces --ignore-scripts",
  "cd .. && node --test",
  "cd $HOME && node --test",
  "cd /tmp && node --test",
])("'%s' is not taken for a run of tests", (script) => {
  expect(parseTestScript(script, all)).toBeUndefined();
});

/** A project of three packages, two of which are tested by another runner than the third. */
function monorepo(root: Readonly<Record<string, unknown>>) {
  return projectOf({
    "package.json": JSON.stringify({ name: "all", type: "module", workspaces: ["packages/*"], ...root }),
    "packages/shared/package.json": manifest("@all/shared", "vitest run"),
    "packages/shared/src/add.js": "export const add = (a, b) => {\n  return a + b;\n};\n",
    "packages/shared/test/add.test.js": `${vitests}import { add } from "../src/add.js";\ntest("adds", () => expect(add(1, 2)).toBe(3));\n`,
    "packages/web/package.json": manifest("@all/web", "vitest run"),
    "packages/web/src/page.js": "export const page = (text) => {\n  return '<p>' + text + '</p>';\n};\n",
    "packages/web/test/page.test.js": `${vitests}import { page } from "../src/page.js";\ntest("shows", () => expect(page("a")).toBe("<p>a</p>"));\n`,
    "packages/api/package.json": manifest("@all/api", "node --test"),
    "packages/api/src/app.js": "export const app = (path) => {\n  return path === '/' ? 200 : 404;\n};\n",
    "packages/api/test/app.test.js": `${nodes}import { app } from "../src/app.js";\ntest("answers", () => assert.equal(app("/"), 200));\n`,
  });
}

function projectOf(files: Readonly<Record<string, string>>) {
  const folder = writeProject(files);
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const stepsNow = async (part: Parameters<typeof documentWith>[0] = {}) => {
    const found = await findTests(documentWith(part), folder, new AbortController().signal);
    return found.steps.map((one) => {
      const told = one.is === "tests" ? [one.runner, ...one.words].join(" ") : one.command;
      return `${one.startsIn ?? "."}: ${told}`;
    });
  };
  return { folder, write, stepsNow };
}

test("a monorepo: each package is tested by its own runner, and all together are counted", async () => {
  const { folder, write } = monorepo({ scripts: { test: "npm test --workspaces --if-present" } });
  copyPackage("vitest", folder);
  const good = await testFolder(folder, required);
  expect(good.result.problems).toEqual([]);
  expect(good.result.cases.map(({ file, name, outcome }) => `${file} ${name} ${outcome}`)).toEqual([
    "packages/api/test/app.test.js answers passed",
    "packages/shared/test/add.test.js adds passed",
    "packages/web/test/page.test.js shows passed",
  ]);
  write("packages/web/test/page.test.js", `${vitests}test("shows", () => expect(1).toBe(2));\n`);
  const bad = await testFolder(folder, required);
  expect(bad.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("1 test of 3 failed: 'shows' (packages/web/test/page.test.js)"),
  });
});

test("scripts of package.json find the programs of installed packages, as npm lets them", async () => {
  const folder = writeProject({
    "package.json": JSON.stringify({ workspaces: ["api"], scripts: { pretest: "of-all", test: "npm test -w api" } }),
    "api/package.json": manifest("api", "of-all && of-api && node --test"),
    "api/app.test.js": `${nodes}test("adds", () => assert.equal(1 + 1, 2));\n`,
  });
  for (const bin of ["node_modules/.bin/of-all", "api/node_modules/.bin/of-api"]) {
    mkdirSync(join(folder, bin, ".."), { recursive: true });
    writeFileSync(join(folder, bin), "#!/bin/sh\necho found\n");
    chmodSync(join(folder, bin), 0o755);
  }
  const { result } = await testFolder(folder, required);
  expect(result.problems).toEqual([]);
  expect(result.runs.map(({ command, exitCode }) => `${command} ${exitCode}`).slice(0, 3)).toEqual([
    "of-all 0",
    "cd api && of-all 0",
    "cd api && of-api 0",
  ]);
});

test("coverage of packages that are tested each in its folder is that of all together", async () => {
  const app = (name: string) => ({
    [`packages/${name}/package.json`]: manifest(name, "node --test"),
    [`packages/${name}/src/app.js`]: "export const app = (path) => {\n  return path === '/' ? 200 : 404;\n};\n",
    [`packages/${name}/test/app.test.js`]: `${nodes}import { app } from "../src/app.js";\ntest("answers", () => assert.equal(app("/"), 200));\n`,
  });
  const root = { type: "module", workspaces: ["packages/*"], scripts: { test: "npm test -ws" } };
  const folder = writeProject({ "package.json": JSON.stringify(root), ...app("a"), ...app("b") });
  const { result, verdicts } = await testFolder(folder, required);
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({ verdict: "passed" });
  expect(result.coverage).toMatchObject({
    ratio: 1,
    files: [{ path: "packages/a/src/app.js" }, { path: "packages/b/src/app.js" }],
  });
});

const each = ["packages/api: node:test", "packages/shared: vitest", "packages/web: vitest"];

test("where no script names a runner, each package's test files are run by theirs", async () => {
  const plain = monorepo({});
  expect(await plain.stepsNow()).toEqual(each);
  const byTool = monorepo({ scripts: { test: "turbo run test" } });
  expect(await byTool.stepsNow()).toEqual(each);
  expect(await byTool.stepsNow({ scripts: { test: "npm test" } })).toEqual(each);
});

test("a package with tests of two runners has both run, each with its own files", async () => {
  const { write, stepsNow } = monorepo({});
  write("packages/web/test/server.test.js", `${nodes}test("serves", () => assert.ok(1 + 1));\n`);
  const of = await stepsNow();
  expect(of.filter((one) => one.startsWith("packages/web"))).toEqual([
    "packages/web: vitest test/page.test.js",
    "packages/web: node:test",
  ]);
});

test("a script of the project that leaves another runner's tests out has them run all the same", async () => {
  const { stepsNow } = monorepo({ scripts: { test: "npm test -w @all/api" } });
  expect((await stepsNow()).sort()).toEqual(each);
  // Who writes the document may choose.
  expect(await stepsNow({ scripts: { test: "npm test -w @all/api" } })).toEqual([each[0]]);
});

test("tests that a script runs in a folder without a package are not run again from the root", async () => {
  const { folder, write, stepsNow } = projectOf({
    "package.json": manifest("one", "cd server && node --test"),
    "server/a.test.js": `${nodes}test("adds", () => assert.equal(1 + 1, 2));\n`,
  });
  expect(await stepsNow()).toEqual(["server: node:test"]);
  write("b.test.js", `${nodes}test("adds", () => assert.equal(1 + 1, 2));\n`);
  expect(await stepsNow()).toEqual(["server: node:test", ".: node:test"]);
  const { result } = await testFolder(folder, required);
  expect(result.cases.map(({ file }) => file)).toEqual(["server/a.test.js", "b.test.js"]);
});

test("a test that mentions a runner, and takes nothing from it, is no test for it", async () => {
  const { write, stepsNow } = projectOf({
    "package.json": manifest("one", "jest"),
    "a.test.js": 'test("knows", () => expect(["vitest", "node:test"]).toContain("vitest"));\n',
  });
  expect(await stepsNow()).toEqual([".: jest"]);
  for (const taken of [
    'import{test}from"node:test"',
    'const { test } = await import("node:test")',
    "require('node:test')",
  ]) {
    write("b.test.js", `${taken};\n`);
    expect(await stepsNow()).toEqual([".: jest", ".: node:test"]);
  }
});

test("test files that no runner is known for are not passed over", async () => {
  const folder = writeProject({
    "test/a.test.js": `${nodes}test("adds", () => assert.equal(1 + 1, 2));\n`,
    "e2e/b.spec.js": 'import { expect, test } from "@playwright/test";\ntest("opens", () => expect(1).toBe(1));\n',
  });
  const { verdicts } = await testFolder(folder, { guardrails: { tests_required: true } });
  expect(verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: "No runner ran e2e/b.spec.js. Name their runner in scripts.test of the document, or remove them.",
  });
});
