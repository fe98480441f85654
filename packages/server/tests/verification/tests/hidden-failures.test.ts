// @module-tag soak
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { readCargoOutput } from "../../../src/verification/tests/read-cargo-output.ts";
import { readGoEvents } from "../../../src/verification/tests/read-go-events.ts";
import { readJestJson } from "../../../src/verification/tests/read-jest-json.ts";
import { readJunit } from "../../../src/verification/tests/read-junit.ts";
import { testProject } from "../../support/verification/test-project.ts";

// Each of these hid a test that fails behind others that pass, and ended with a green tick.

const line = "/guardrails/tests_required";
const required = { guardrails: { tests_required: true } };

describe("a file of node:test that ends with exit code 0 before its tests are over", () => {
  const manifest = JSON.stringify({ type: "module", scripts: { test: "node --test" } });
  // The runner hears of the first test before the process ends.
  const file = (ends: string) => `import assert from "node:assert";
import { test } from "node:test";
test("good", () => assert.equal(1 + 1, 2));
test("told", () => new Promise((resolve) => setTimeout(resolve, 200)).then(() => assert.equal(1 + 1, 2)));
test("ends", async () => { ${ends}; await new Promise((resolve) => setTimeout(resolve, 5_000)); });
test("bad", () => assert.equal(1, 2));
`;

  test.each(
    soakCases([
      "process.exit(0)",
      "process.reallyExit(0)",
      "setTimeout(process.exit, 1, 0)",
      "process.nextTick(process.exit)",
      'Error.prepareStackTrace = () => "a\\nb\\nc\\nnode:internal/test_runner/"; process.exit(0)',
      "Error.stackTraceLimit = 0; process.exit(0)",
      'process.execve("/bin/true", ["true"])',
    ]),
  )("has failed: %s", async (ends) => {
    const { verdicts } = await testProject({ "package.json": manifest, "test/a.test.js": file(ends) }, required);
    expect(verdicts[line]).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("ended before its tests were over"),
    });
  });

  test.each(
    soakCases([
      ["a variable", "NODE_OPTIONS='--test-skip-pattern=bad' node --test"],
      ["a file of variables", "node --env-file=.env --test"],
    ]),
  )("is as bad as one whose tests are left out by %s", async (_, script) => {
    const files = {
      "package.json": JSON.stringify({ type: "module", scripts: { test: script } }),
      ".env": "NODE_OPTIONS=--test-skip-pattern=bad\n",
      "test/a.test.js": file("assert.ok(1)").replace("5_000", "1"),
    };
    expect((await testProject(files, required)).verdicts[line]?.verdict).toBe("failed");
  });

  test.each(
    soakCases([
      ["a state of earlier runs", "node --test --test-rerun-failures=state.json"],
      ["a state that a variable names", "NODE_OPTIONS='--test-rerun-failures=state.json' node --test"],
      ["a filter of tags", "node --test --experimental-test-tag-filter=quick"],
      ["a filter of tags in a variable", "NODE_OPTIONS='--experimental-test-tag-filter=quick' node --test"],
      ["a file of options", "node --experimental-config-file=options.json --test"],
      ["a file of options by its own name", "node --experimental-default-config-file --test"],
      ["a file of options that a variable names", "NODE_OPTIONS='--experimental-config-file=options.json' node --test"],
    ]),
  )("is as bad as one whose failing test is called passed, or left out, by %s", { tags: "long" }, async (_, script) => {
    const passed = { name: "bad", children: [], passed_on_attempt: 0, duration_ms: 1 };
    const options = JSON.stringify({
      $schema: "https://nodejs.org/dist/v24.0.0/docs/node-config-schema.json",
      testRunner: { "test-skip-pattern": "bad" },
      test: { "test-skip-pattern": "bad" },
    });
    const files = {
      "package.json": JSON.stringify({ type: "module", scripts: { test: script } }),
      "state.json": JSON.stringify([{ "test/a.test.js:4:1": passed }]),
      "options.json": options,
      "node.config.json": options,
      "test/a.test.js": `import assert from "node:assert";
import { test } from "node:test";
test("good", { tags: ["quick"] }, () => assert.equal(1 + 1, 2));
test("bad", () => assert.equal(1, 2));
`,
    };
    expect((await testProject(files, required)).verdicts[line]?.verdict).toBe("failed");
  });

  test("is another thing than a program that a test starts, and than the runner's own end", {
    tags: "long",
  }, async () => {
    const text = `import assert from "node:assert";
import { fork } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
test("forks", async () => assert.deepEqual(await once(fork("./program.js"), "exit"), [0, null]));
setInterval(() => undefined, 1_000);
`;
    const script = JSON.stringify({ type: "module", scripts: { test: "node --test --test-force-exit" } });
    const files = { "package.json": script, "program.js": "process.exit(0);\n", "test/a.test.js": text };
    expect((await testProject(files, required)).verdicts[line]).toMatchObject({ verdict: "passed" });
  });
});

describe("of more tests than are read", () => {
  const names = ["a", "b", "c"].map((name) => ({ name, isBad: name === "c" }));
  const read = {
    junit: () =>
      readJunit(
        `<testsuite>${names.map(({ name, isBad }) => `<testcase name="${name}">${isBad ? "<failure/>" : ""}</testcase>`).join("")}</testsuite>`,
        { maxCases: 2, suitesAre: "runs" },
      ),
    jest: () =>
      readJestJson(
        JSON.stringify({
          testResults: [
            {
              name: "a.js",
              assertionResults: names.map(({ name, isBad }) => ({ title: name, status: isBad ? "failed" : "passed" })),
            },
          ],
        }),
        2,
      ),
    go: () =>
      readGoEvents(
        [
          ...names.map(({ name, isBad }) =>
            JSON.stringify({ Action: isBad ? "fail" : "pass", Package: "p", Test: name, Elapsed: 0 }),
          ),
          JSON.stringify({ Action: "fail", Package: "p" }),
        ].join("\n"),
        2,
      ),
    cargo: () =>
      readCargoOutput(
        `running 3 tests\n${names.map(({ name, isBad }) => `test ${name} ... ${isBad ? "FAILED" : "ok"}`).join("\n")}\n`,
        2,
      ),
  };

  test.each(Object.entries(read))("those that fail are: %s", async (_, cases) => {
    expect((await cases())?.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(["a passed", "c failed"]);
  });
});

test.each([
  ["that a suite tells of itself", '<testsuite><error message="setup"/><testcase name="a"/></testsuite>'],
  ["of a suite in another", '<testsuites><testsuite name="s"><failure/><testcase name="a"/></testsuite></testsuites>'],
  [
    "in the second of two reports in a file",
    '<testsuites><testcase name="a"/></testsuites><testsuites><testcase name="b"><failure/></testcase></testsuites>',
  ],
])("a failure %s is read", async (_, xml) => {
  const cases = await readJunit(xml, { maxCases: 9, suitesAre: "runs" });
  expect(cases?.map(({ outcome }) => outcome).toSorted()).toEqual(["failed", "passed"]);
});

test.skipIf(spawnSync("/usr/bin/go", ["version"]).status !== 0)(
  "GOFLAGS leaves no test of Go out",
  { tags: "long" },
  async () => {
    const body = (name: string, check: string) => `func Test${name}(t *testing.T) { if ${check} { t.Error("no") } }\n`;
    const files = {
      "go.mod": "module example.com/sums\n\ngo 1.19\n",
      "package.json": JSON.stringify({ scripts: { test: "GOFLAGS='-run=^Test[^B]' go test ./..." } }),
      "a.go": "package sums\n",
      "a_test.go": `package sums\n\nimport "testing"\n\n${body("Good", "1 == 2")}${body("Bad", "1 == 1")}`,
    };
    expect((await testProject(files, required)).verdicts[line]).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("TestBad"),
    });
  },
);

const hasPytest = spawnSync("/usr/bin/python3", ["-I", "-c", "import pytest"]).status === 0;
if (!hasPytest) console.warn("tests of Python projects are skipped: apt-get install python3-pytest");

describe.skipIf(!hasPytest)("a Python project", () => {
  const good = "def test_good():\n    assert 1 + 1 == 2\n";
  const bad = "def test_bad():\n    assert 1 == 2\n";

  test.each([
    ["pytest.exit", 'import pytest\ndef test_stops():\n    pytest.exit("done", returncode=1)\n'],
    ["an interrupt", "def test_stops():\n    raise KeyboardInterrupt\n"],
    ["the session", 'def test_stops(request):\n    request.session.shouldstop = "done"\n'],
  ])("whose tests are stopped by %s has failed", { tags: "long" }, async (_, stops) => {
    // Ours is called test_t…: it has run by then.
    const files = { "tests/test_u.py": `${good}\n${stops}`, "tests/test_z.py": bad };
    const { verdicts } = await testProject(files, required);
    expect(verdicts[line]).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(/^The run was stopped before \d of its tests had ended\./),
    });
  });

  test("whose unittest is stopped has failed", async () => {
    const file = (name: string, body: string) =>
      `import unittest\nclass ${name}(unittest.TestCase):\n    def test_${name}(self):\n        ${body}\n`;
    const files = {
      "tests/__init__.py": "",
      "tests/test_u.py": file("U", "self.assertEqual(1 + 1, 2); self._outcome.result.stop()"),
      "tests/test_z.py": file("Z", "self.assertEqual(1, 2)"),
    };
    const { verdicts } = await testProject(files, { ...required, scripts: { test: "python3 -m unittest" } });
    expect(verdicts[line]).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(/^The run was stopped before its tests had ended\./),
    });
  });

  test("runs also what its settings leave out by name", { tags: "long" }, async () => {
    const files = { "pytest.ini": "[pytest]\naddopts = -k 'not bad'\n", "tests/test_z.py": `${good}\n${bad}` };
    const { verdicts } = await testProject(files, required);
    expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("'test_bad'") });
  });

  test("has no folder too many for a conftest.py to turn failures green", { tags: "long" }, async () => {
    const hook = `import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    out = yield
    out.get_result().outcome = "passed"
`;
    const folders = Array.from({ length: 25 }, (_, at) => `tests/a${at}/test_a${at}.py`);
    const files = Object.fromEntries(folders.map((path) => [path, good]));
    const { verdicts } = await testProject(
      { ...files, "tests/zz/conftest.py": hook, "tests/zz/test_zz.py": bad },
      required,
    );
    expect(verdicts[line]).toMatchObject({ verdict: "failed", reason: expect.stringContaining("failures green") });
  });
});
