import { positionals, quoteWord, withoutOptions } from "../parse-script.ts";
import { withinBound } from "../read-junit.ts";
import { withRepeated } from "../repeated-tests.ts";
import { pythonProgram } from "./python-program.ts";
import { beside, type Runner, type RunPlan } from "./runner.ts";

const unittestsOwn = ["-f", "--failfast", "-k=", "-b", "--buffer"];
const pytestsOwn = ["-x", "--exitfirst", "--maxfail=", "--junitxml=", "--junit-xml=", "--lf", "--last-failed", "--co"];
pytestsOwn.push("--collect-only", "-k=", "--cov=", "--cov", "--cov-report=", "--cov-fail-under=", "--no-cov", "--sw");

const pytestsValued = ["-m", "-p", "-c", "-o", "-n", "-W", "-r", "--rootdir", "--confcutdir", "--ignore", "--deselect"];

export const pytest: Runner = {
  name: "pytest",

  command(plan) {
    const own = withoutOptions(plan.words, pytestsOwn);
    const named = positionals(own, pytestsValued);
    const words = plan.only === undefined ? own : own.filter((word) => !named.includes(word));
    // Without a path pytest finds all tests by itself, ours included.
    const isNaming = plan.only !== undefined || named.length > 0;
    const files = [...(plan.only ?? []), ...(isNaming ? plan.traps : [])];
    return start(plan, "pytest", [...words, ...files.map(quoteWord)]);
  },

  trap(path, token) {
    const text = `def test_${token}_compares():
    assert 1 == 2


def test_${token}_throws():
    raise Exception("as it must")
`;
    return { path: beside(path, `test_${token}`).replace(/_test\.py$/, ".py"), text };
  },

  async readCases(reports, { maxCases, roots }) {
    const cases = await reports.readAs("junit.xml", "junit", { maxCases, suitesAre: "runs" });
    // What a marker, an option or a hook of the project took away is not run: that is told.
    const leftOut = await reports.readAs("left-out.xml", "junit", { maxCases, suitesAre: "runs" });
    // A plugin may repeat a test until it passes.
    const failed = await reports.readAs("failed-once.xml", "junit", { maxCases, suitesAre: "runs" });
    return cases && withinBound([...withRepeated(cases, failed ?? [], roots), ...(leftOut ?? [])], maxCases);
  },

  readCoverage: (reports) => reports.readAs("lines.json", "pythonLines"),
};

export const unittest: Runner = {
  name: "unittest",

  command(plan) {
    const own = withoutOptions(plan.words, unittestsOwn);
    const named = plan.only?.map(quoteWord) ?? own;
    // Discovery finds ours by its pattern; beside names it needs a name.
    const isNaming = named.length > 0 && named[0] !== "discover";
    return start(plan, "unittest", [...named, ...(isNaming ? plan.traps.map(quoteWord) : [])]);
  },

  trap(path, token) {
    const text = `import unittest


class ${token}(unittest.TestCase):
    def test_${token}_compares(self):
        self.assertEqual(1, 2)

    def test_${token}_throws(self):
        raise Exception("as it must")
`;
    const name = path.slice(path.lastIndexOf("/") + 1);
    // Discovery goes by a pattern of names: the beginning and the end of the project's own stay.
    const like = /^test/.test(name) ? `test_${token}${/_test\.py$/.test(name) ? "_test" : ""}.py` : `${token}_test.py`;
    return { path: path.slice(0, path.length - name.length) + like, text };
  },

  async readCases(reports, { maxCases }) {
    return reports.readAs("junit.xml", "junit", { maxCases, suitesAre: "runs" });
  },

  readCoverage: pytest.readCoverage,
};

/** Isolated (`-I`): neither the project's folder nor the environment may bring another `pytest` or `json`. */
function start({ reports, coverage }: RunPlan, kind: "pytest" | "unittest", words: readonly string[]): string {
  const measures = "by" in coverage ? "coverage" : "none";
  return ["python3", "-I", "-c", quoteWord(pythonProgram), kind, quoteWord(reports.path), measures, ...words].join(" ");
}
