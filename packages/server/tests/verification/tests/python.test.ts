// @module-tag soak
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { testProject } from "../../support/verification/test-project.ts";

const has = (module: string) => spawnSync("/usr/bin/python3", ["-I", "-c", `import ${module}`]).status === 0;
const missing = ["pytest", "coverage"].filter((module) => !has(module));
if (missing.length > 0)
  console.warn(`tests of Python projects are skipped: apt-get install python3-${missing.join(" python3-")}`);
const whenPython = test.skipIf(missing.length > 0);

const app = `def add(a, b):
    """Adds."""
    return a + b


def sub(a, b):  # pragma: no cover
    return a - b
`;
const required = { guardrails: { tests_required: true, min_test_coverage: 0.9 } };

whenPython("pytest: cases by file and class, parameters, skips, and coverage that pragmas do not raise", async () => {
  const { result, verdicts } = await testProject(
    {
      "app.py": app,
      "never.py": "x = 1\n",
      ".coveragerc": "[run]\nomit = *\n",
      "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n",
      "tests/test_app.py": `import pytest
from app import add

def test_add(one):
    assert add(one, 2) == 3

@pytest.mark.parametrize("n", [1, 2])
def test_many(n):
    assert add(n, 0) == n

@pytest.mark.skip
def test_later():
    assert add(0, 0)

class TestMore:
    def test_in_class(self):
        assert add(1, 1) == 2
`,
    },
    required,
  );
  expect(result.problems).toEqual([]);
  expect(result.runs.map(({ runner }) => runner)).toEqual(["pytest"]);
  expect(result.cases.map(({ file, name, outcome, assertions }) => `${file} ${name} ${outcome} ${assertions}`)).toEqual(
    [
      "tests/test_app.py test_add passed 1",
      "tests/test_app.py test_many[1] passed 1",
      "tests/test_app.py test_many[2] passed 1",
      "tests/test_app.py test_later skipped 1",
      "tests/test_app.py TestMore > test_in_class passed 1",
    ],
  );
  expect(verdicts["/guardrails/tests_required"]?.verdict).toBe("passed");
  // Three of five lines, one of two functions.
  expect(result.coverage).toMatchObject({ lines: { covered: 3, total: 5 }, functions: { covered: 1, total: 2 } });
  expect(verdicts["/guardrails/min_test_coverage"]?.verdict).toBe("failed");
});

whenPython.for(
  soakCases([
    ["a marker", { "pytest.ini": "[pytest]\naddopts = -m 'not slow'\nmarkers = slow\n" }],
    ["an option", { "pytest.ini": "[pytest]\naddopts = --deselect tests/test_app.py::TestSlow::test_sub\n" }],
    [
      "a hook that tells nobody",
      {
        "tests/conftest.py":
          "def pytest_collection_modifyitems(items):\n    items[:] = [one for one in items if one.name != 'test_sub']\n",
      },
    ],
  ] as const),
)("pytest: what %s leaves out counts as skipped", async ([, files]) => {
  const slow = "@pytest.mark.slow\nclass TestSlow:\n    def test_sub(self):\n        assert sub(1, 1) == 1\n";
  const { result, verdicts } = await testProject(
    {
      "app.py": app,
      "tests/test_app.py": `import pytest\nfrom app import add, sub\n\ndef test_add():\n    assert add(1, 2) == 3\n\n${slow}`,
      ...files,
    },
    { guardrails: { tests_required: true } },
  );
  expect(result.cases.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    "test_add passed",
    "TestSlow > test_sub skipped",
  ]);
  expect(verdicts["/guardrails/tests_required"]).toMatchObject({ verdict: "passed" });
});

whenPython("unittest: cases by file and class, a failure, a module that cannot be loaded", async () => {
  const { result, verdicts } = await testProject(
    {
      "app.py": app,
      "tests/__init__.py": "",
      "tests/test_app.py": `import unittest
from app import add

class Adding(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_bad(self):
        self.assertEqual(add(1, 2), 4)

    @unittest.skip("later")
    def test_later(self):
        self.fail()
`,
      "tests/test_broken.py": "import unittest\nimport no_such_module\n",
    },
    { ...required, scripts: { test: "python3 -m unittest discover -s tests -t . -p 'test_*.py'" } },
  );
  expect(result.problems).toEqual([]);
  expect(result.cases.map(({ file, name, outcome }) => `${file} ${name} ${outcome}`).sort()).toEqual([
    "tests/test_app.py Adding > test_add passed",
    "tests/test_app.py Adding > test_bad failed",
    "tests/test_app.py Adding > test_later skipped",
    "tests/test_broken.py tests.test_broken failed",
  ]);
  const broken = result.cases.filter(({ isNoTest }) => isNoTest);
  expect(broken.map(({ name }) => name)).toEqual(["tests.test_broken"]);
  expect(broken[0]?.message).toMatch(
    /^File ".*test_broken\.py", line 2.*: ModuleNotFoundError: No module named 'no_such/,
  );
  expect(verdicts["/guardrails/tests_required"]?.reason).toContain("AssertionError: 3 != 4");
});

whenPython("unittest: what fails around tests is told with their file; a test may be named like that", async () => {
  const { result } = await testProject({
    "tests/__init__.py": "",
    "tests/test_app.py": `import unittest

class Around(unittest.TestCase):
    def test_add(self):
        self.assertEqual(1 + 1, 2)

    @classmethod
    def tearDownClass(cls):
        raise Exception("late")

class _FailedTest(unittest.TestCase):
    def test_bad(self):
        raise Exception("collection failure")
`,
  });
  expect(result.cases.map(({ file, name, isNoTest }) => `${file} ${name} ${isNoTest}`).sort()).toEqual([
    "tests/test_app.py Around > test_add undefined",
    "tests/test_app.py tearDownClass (tests.test_app.Around) true",
    "tests/test_app.py test_bad undefined",
  ]);
});

whenPython("pytest: a file that cannot be loaded fails, and is no test", async () => {
  const { result } = await testProject({
    "test_good.py": "def test_good():\n    assert 1 + 1 == 2\n",
    "test_broken.py": "import no_such_module\n",
  });
  expect(result.cases.map(({ file, outcome, isNoTest }) => [file, outcome, isNoTest])).toEqual([
    ["test_broken.py", "failed", true],
    ["test_good.py", "passed", undefined],
  ]);
  expect(result.cases[0]?.message).toBe(
    "test_broken.py:1: in <module>: ModuleNotFoundError: No module named 'no_such_module'",
  );
});

whenPython(
  "a pytest.py, coverage.py and json.py of the project are not taken for the real ones",
  { tags: "long" },
  async () => {
    const { result } = await testProject({
      "pytest.py": "def main(*_): return 0\n",
      "coverage.py": "raise SystemExit(0)\n",
      "test_a.py": "def test_bad():\n    assert 1 == 2\n",
    });
    expect(result.cases).toMatchObject([{ name: "test_bad", outcome: "failed" }]);
  },
);

whenPython("a conftest.py that turns failures green is caught", async () => {
  const { verdicts } = await testProject(
    {
      "tests/conftest.py": `import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
`,
      "tests/test_a.py": "def test_bad():\n    assert 1 == 2\n",
    },
    required,
  );
  expect(verdicts["/guardrails/tests_required"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("turns failures green"),
  });
});

whenPython("a forced exit (os._exit, pytest_sessionfinish) does not hide failures", { tags: "long" }, async () => {
  const test_a = "def test_bad():\n    assert 1 == 2\n";
  const ended = await testProject(
    { "test_a.py": test_a, "test_b.py": "import os\ndef test_exit():\n    os._exit(0)\n" },
    required,
  );
  expect(ended.verdicts["/guardrails/tests_required"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("without a report"),
  });
  const conftest = "import os\ndef pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n";
  const forced = await testProject({ "test_a.py": test_a, "conftest.py": conftest }, required);
  expect(forced.verdicts["/guardrails/tests_required"]?.verdict).toBe("failed");
});
