// @module-tag soak
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { readJestJson } from "../../../src/verification/tests/read-jest-json.ts";
import { readJunit } from "../../../src/verification/tests/read-junit.ts";
import { withRepeated } from "../../../src/verification/tests/repeated-tests.ts";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { testFolder, testProject, writeProject } from "../../support/verification/test-project.ts";

// A test that repeats itself until it passes is flaky, as one is that we run again.

const line = "/guardrails/tests_required";
const required = { guardrails: { tests_required: true } };
const isFlaky = { outcome: "passed", isFlaky: true };
const passedFlaky = { verdict: "passed", reason: expect.stringContaining("1 flaky (failed, then passed)") };

describe("a report tells of tries that failed", () => {
  const junit = (inner: string) =>
    readJunit(`<testsuite><testcase name="a" time="1">${inner}</testcase></testsuite>`, {
      maxCases: 9,
      suitesAre: "runs",
    });

  // As Maven's surefire and cargo-nextest write them.
  test.each(["flakyFailure", "flakyError", "rerunFailure", "rerunError"])("JUnit: <%s>", async (name) => {
    const tries = `<${name} message="one" type="x"><stackTrace>at x</stackTrace></${name}><${name} message="two"/>`;
    expect(await junit(tries)).toMatchObject([{ ...isFlaky, message: "one\ntwo" }]);
    expect(await junit(`<failure message="last"/>${tries}`)).toEqual([
      { file: "", name: "a", outcome: "failed", durationMs: 1_000, message: "last" },
    ]);
    expect(await junit(`<skipped/>${tries}`)).toMatchObject([{ outcome: "skipped", message: "" }]);
  });

  test("JSON: how often Jest called a test, and why it failed before in Vitest", () => {
    const read = (result: object) =>
      readJestJson(
        JSON.stringify({ testResults: [{ name: "a.js", assertionResults: [{ title: "a", ...result }] }] }),
        9,
      );
    const plain = { status: "passed", invocations: 1, failureMessages: [], retryReasons: [] };
    expect(read(plain)?.[0]).not.toHaveProperty("isFlaky");
    expect(read({ ...plain, invocations: 3 })).toMatchObject([{ ...isFlaky, message: "" }]);
    expect(read({ ...plain, invocations: 2, retryReasons: ["why"] })).toMatchObject([{ ...isFlaky, message: "why" }]);
    expect(read({ status: "passed", failureMessages: ["why"] })).toMatchObject([{ ...isFlaky, message: "why" }]);
    expect(read({ ...plain, status: "failed", invocations: 4 })?.[0]).not.toHaveProperty("isFlaky");
    for (const invocations of [[[2]], { valueOf: "x" }, "2", null])
      expect(read({ ...plain, invocations })?.[0]).not.toHaveProperty("isFlaky");
  });
});

test("thousands of tests with one name are each found by their own file, which is read once", { tags: "long" }, () => {
  let reads = 0;
  const one = (folder: string, at: number, message: string) => ({
    ...{ name: "same", outcome: "passed" as const, durationMs: 1, message },
    get file() {
      reads += 1;
      return `${folder}a${at}/a.test.js`;
    },
  });
  const cases = Array.from({ length: 20_000 }, (_, at) => one("", at, ""));
  const repeated = Array.from({ length: 20_000 }, (_, at) => one("/p/", at + 19_999, `why ${at}`));
  const flaky = withRepeated(cases, repeated, ["/p"]).filter(({ isFlaky }) => isFlaky);
  expect(flaky).toMatchObject([{ file: "a19999/a.test.js", message: "why 0" }]);
  // Once more where the one that is flaky is copied and compared.
  expect(reads).toBeLessThan(40_010);
});

test("a test is found where its report begins at a folder of the project, as that of Vitest's root does", () => {
  const one = (file: string) => ({ name: "a", outcome: "passed" as const, durationMs: 1, message: "why", file });
  const cases = [one("tests/a.test.js"), one("more/a.test.js"), one("ests/a.test.js")];
  expect(withRepeated(cases, [one("/p/app/tests/a.test.js")], ["/p"]).map(({ isFlaky }) => isFlaky)).toEqual([
    true,
    undefined,
    undefined,
  ]);
});

test("vitest: by options of a test and of its group", { tags: "long" }, async () => {
  const folder = writeProject({
    "package.json": JSON.stringify({ type: "module", scripts: { test: "vitest run" } }),
    "tests/a.test.js": `import { describe, expect, test } from "vitest";
let [own, ofGroup] = [0, 0];
test("own", { retry: 3 }, () => { own += 1; expect(own).toBe(3); });
describe("group", { retry: 3 }, () => { test("inner", () => { ofGroup += 1; expect(ofGroup).toBe(2); }); });
test("steady", { retry: 3 }, () => { expect(1 + 1).toBe(2); });
test.fails("expected to fail", () => { expect(1).toBe(2); });
`,
  });
  copyPackage("vitest", folder);
  const { result, verdicts } = await testFolder(folder, required);
  expect(result.problems).toEqual([]);
  const told = result.cases.map(({ name, outcome, isFlaky }) => `${name} ${outcome}${isFlaky ? " flaky" : ""}`);
  expect(told).toEqual(["own passed flaky", "group > inner passed flaky", "steady passed", "expected to fail passed"]);
  expect(result.cases[0]?.message).toContain("expected 1 to be 3");
  expect(verdicts[line]).toMatchObject({ verdict: "passed", reason: expect.stringContaining("2 flaky") });
});

test("jest: by jest.retryTimes", { tags: "long" }, async () => {
  const folder = writeProject({
    "package.json": JSON.stringify({ scripts: { test: "jest" }, devDependencies: { jest: "30.5.2" } }),
    "jest.config.js": "module.exports = { transform: {} };\n",
    "tests/a.test.js": `jest.retryTimes(3);
let tries = 0;
test("third try", () => { tries += 1; expect(tries).toBe(3); });
test("steady", () => { expect(1 + 1).toBe(2); });
`,
  });
  copyPackage("jest", folder);
  const { result, verdicts } = await testFolder(folder, required);
  expect(result.cases).toMatchObject([
    { name: "third try", ...isFlaky },
    { name: "steady", isFlaky: false },
  ]);
  expect(verdicts[line]).toMatchObject(passedFlaky);
});

const whenPytest = test.skipIf(spawnSync("/usr/bin/python3", ["-I", "-c", "import pytest"]).status !== 0);

/** As plugins do it: a try that failed is reported as something else. */
const plugins = {
  "around a test": `from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for _ in range(3):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        if not any(one.failed for one in reports):
            break
        item._initrequest()
    for one in reports:
        item.ihook.pytest_runtest_logreport(report=one)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
`,
  "in another process": `import pytest
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    # What is told of a test that ran elsewhere.
    if "second" in item.name:
        names = dict(nodeid=item.nodeid, location=item.location, keywords={}, when="call")
        item.ihook.pytest_runtest_logreport(report=pytest.TestReport(outcome="rerun", longrepr="too early", **names))
        item.runtest = lambda: None
    runtestprotocol(item, nextitem=nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
`,
  "within a report": `import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    made = yield
    report = made.get_result()
    if report.failed and call.when == "call":
        again = pytest.CallInfo.from_call(item.runtest, when="call")
        made.force_result(pytest.TestReport.from_item_and_call(item, again))
`,
};

whenPytest.each(soakCases(Object.entries(plugins)))("pytest: by a plugin %s", async (_, plugin) => {
  const files = {
    "tests/conftest.py": plugin,
    "tests/test_a.py": `import pytest, unittest
tries = []

class TestGroup:
    @pytest.mark.parametrize("n", ["a::b[c]"])
    def test_second(self, n):
        tries.append(1)
        assert len(tries) > 1, "too early"

def test_steady():
    assert 1 + 1 == 2

@pytest.mark.xfail
def test_expected():
    assert 1 == 2
`,
  };
  const { result, verdicts } = await testProject(files, required);
  expect(result.problems).toEqual([]);
  expect(result.cases.map(({ name, outcome, isFlaky }) => ({ name, outcome, isFlaky }))).toEqual([
    { name: "TestGroup > test_second[a::b[c]]", outcome: "passed", isFlaky: true },
    { name: "test_steady", outcome: "passed", isFlaky: false },
    { name: "test_expected", outcome: "skipped", isFlaky: false },
  ]);
  expect(result.cases[0]?.message).toContain("too early");
  expect(verdicts[line]).toMatchObject(passedFlaky);
});
