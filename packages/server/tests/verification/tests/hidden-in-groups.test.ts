import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { withFlaky } from "../../../src/verification/tests/compare-tests.ts";
import { testProject } from "../../support/verification/test-project.ts";

// Each of these was told by an exit code alone, or of the last test, which are those of our own tests that fail.

const required = { guardrails: { tests_required: true } };
const line = "/guardrails/tests_required";
const manifest = JSON.stringify({ type: "module", scripts: { test: "node --test" } });
const head = `import assert from "node:assert";
import { after, describe, test } from "node:test";
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;
const verdictOn = async (text: string) =>
  (await testProject({ "package.json": manifest, "test/a.test.js": head + text }, required)).verdicts[line];

test("a test fails that has another one inside", { tags: "long" }, async () => {
  const text = 'test("sum <&>", async (t) => { await t.test("one", () => assert.ok(add)); assert.equal(1, 3); });';
  expect(await verdictOn(`const add = 1;\n${text}`)).toMatchObject({
    verdict: "failed",
    reason: "1 test of 2 failed: 'sum <&>' (test/a.test.js): 1 == 3.",
  });
});

test("a hook fails after the tests of a group inside of another", { tags: "long" }, async () => {
  const inner =
    'describe("inner", () => { after(() => { throw new Error("late"); }); test("one", () => assert.ok(1 + 1)); });';
  expect(await verdictOn(`describe("outer", () => { ${inner} });`)).toMatchObject({
    verdict: "failed",
    reason: "1 test of 2 failed: 'outer > inner' (test/a.test.js): late.",
  });
});

test("a file ends early, with a test before it that fails and is still to do", { tags: "long" }, async () => {
  const text = `test("later", { todo: true }, () => assert.fail("x"));
test("good", () => wait(200).then(() => assert.equal(1 + 1, 2)));
test("told", () => wait(200).then(() => assert.equal(1 + 1, 2)));
test("ends", () => { process.kill(process.pid, "SIGKILL"); return wait(5_000); });
test("bad", () => assert.equal(1, 2));
`;
  expect(await verdictOn(text)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("ended before its tests were over"),
  });
});

test("groups whose tests pass, and those with one that is still to do, have passed", async () => {
  const text = `test("outer", async (t) => { await t.test("one", () => assert.equal(1 + 1, 2)); });
describe("todo", { todo: true }, () => { after(() => { throw new Error("late"); }); test("two", () => assert.ok(1 + 1)); });
`;
  expect(await verdictOn(text)).toMatchObject({ verdict: "passed" });
});

test("a test that only the second try tells of has failed there", () => {
  const one = { file: "a.js", durationMs: 0, isFlaky: false, message: "" };
  const first = [{ ...one, name: "a", outcome: "failed" as const }];
  const again = [
    { ...one, name: "a", outcome: "passed" as const },
    { ...one, name: "b", outcome: "failed" as const },
  ];
  expect(withFlaky(first, again).map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(["a passed", "b failed"]);
});

test.skipIf(spawnSync("/usr/bin/python3", ["-I", "-c", "import pytest"]).status !== 0)(
  "pytest: what a session ends with fails after the last test",
  async () => {
    const fixture = `import pytest
@pytest.fixture(scope="session", autouse=True)
def session():
    yield
    raise Exception("late")
`;
    const files = { "tests/conftest.py": fixture, "tests/test_a.py": "def test_a():\n    assert 1 + 1 == 2\n" };
    expect((await testProject(files, required)).verdicts[line]).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(/^pytest reports an error after the last test: .*Exception: late/),
    });
  },
);

test.skipIf(spawnSync("/usr/bin/go", ["version"]).status !== 0)(
  "go test: TestMain fails after the tests of its package",
  { tags: "long" },
  async () => {
    const tested = (code: number) => ({
      ...{ "go.mod": "module example.com/sums\n\ngo 1.19\n", "a/a.go": "package a\n" },
      "a/a_test.go": `package a

import (
\t"os"
\t"testing"
)

func TestMain(m *testing.M) {
\tif code := m.Run(); code != 0 {
\t\tos.Exit(code)
\t}
\tos.Exit(${code})
}
func TestGood(t *testing.T) {
\tif 1+1 != 2 {
\t\tt.Error("no")
\t}
}
`,
    });
    expect((await testProject(tested(1), required)).verdicts[line]).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("'(package)' (a/)"),
    });
    expect((await testProject(tested(0), required)).verdicts[line]).toMatchObject({ verdict: "passed" });
  },
);
