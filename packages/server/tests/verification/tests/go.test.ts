import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { compareTests, declaredNow } from "../../../src/verification/tests/index.ts";
import { testFolder, testProject, writeProject } from "../../support/verification/test-project.ts";

const isThere = spawnSync("/usr/bin/go", ["version"]).status === 0;
if (!isThere) console.warn("tests of Go projects are skipped: apt-get install golang-go");
const whenGo = test.skipIf(!isThere);

// Without it, each run compiles Go's own packages again.
const folder = mkdtempSync(join(tmpdir(), "slipway-go-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const cache = { folder, env: { GOCACHE: join(folder, "build") } };

const line = "/guardrails/tests_required";
const required = { guardrails: { tests_required: true, min_test_coverage: 0.9 } };
const source = `package calc

func Add(a, b int) int {
	return a + b
}

func Double(a int) int {
	return Add(a, a)
}
`;
const honest = {
  "go.mod": "module example.com/sums\n\ngo 1.19\n",
  "main.go": 'package main\n\nfunc main() {\n\tprintln("hello")\n}\n',
  "calc/calc.go": source,
  "calc/calc_test.go": `package calc

import "testing"

func TestAdd(t *testing.T) {
	for _, one := range []struct {
		name string
		a, b int
	}{{"small", 1, 2}, {"negative", -1, 4}} {
		t.Run(one.name, func(t *testing.T) {
			if got := Add(one.a, one.b); got != 3 {
				t.Errorf("got %d", got)
			}
		})
	}
}

func TestLater(t *testing.T) {
	t.Skip("later")
}
`,
};
const bad =
  'package calc\n\nimport "testing"\n\nfunc TestBad(t *testing.T) {\n\tif Add(1, 2) != 4 {\n\t\tt.Fatalf("is %d", Add(1, 2))\n\t}\n}\n';

whenGo("go test: cases by file and subtest, skips, and coverage of every source", async () => {
  const { result, verdicts } = await testProject(honest, required, { cache });
  expect(result.problems).toEqual([]);
  expect(result.runs.map(({ runner }) => runner)).toEqual(["go test"]);
  expect(result.cases.map(({ file, name, outcome }) => `${file} ${name} ${outcome}`).sort()).toEqual([
    "calc/calc_test.go TestAdd passed",
    "calc/calc_test.go TestAdd/negative passed",
    "calc/calc_test.go TestAdd/small passed",
    "calc/calc_test.go TestLater skipped",
  ]);
  expect(verdicts[line]?.verdict).toBe("passed");
  // Nothing calls Double and main.
  expect(result.coverage).toMatchObject({ method: "go cover", functions: { covered: 1, total: 3 } });
  expect(verdicts["/guardrails/min_test_coverage"]?.verdict).toBe("failed");
});

whenGo(
  "a Go test that fails, one that ends the process and a package that does not compile are told of",
  { tags: "long" },
  async () => {
    const leaves =
      'package a\n\nimport (\n\t"syscall"\n\t"testing"\n)\n\nfunc TestLeaves(t *testing.T) {\n\tsyscall.Exit(0)\n}\n';
    const failing = await testProject({ ...honest, "calc/bad_test.go": bad, "a/a_test.go": leaves }, required, {
      cache,
    });
    expect(failing.result.problems).toEqual([]);
    const failed = failing.result.cases.filter(({ outcome }) => outcome === "failed");
    expect(failed.map(({ file, name, message }) => `${file} ${name} ${message.trim()}`).sort()).toEqual([
      "a/a_test.go TestLeaves It began, and its program ended before it did.",
      "calc/bad_test.go TestBad bad_test.go:7: is 3",
    ]);
    expect(failing.verdicts[line]?.verdict).toBe("failed");
    const broken = {
      ...honest,
      "broken/broken.go": 'package broken\n\nfunc One() int {\n\treturn "one"\n}\n',
      "broken/broken_test.go":
        'package broken\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fail()\n\t}\n}\n',
    };
    const unbuilt = await testProject(broken, required, { cache });
    expect(unbuilt.result.problems).toEqual([]);
    const packages = unbuilt.result.cases.filter(({ outcome }) => outcome === "failed");
    expect(packages.find(({ file }) => file === "broken/")).toMatchObject({
      name: "(package)",
      message: expect.stringContaining("cannot use"),
    });
    expect(unbuilt.verdicts[line]?.verdict).toBe("failed");
  },
);

whenGo("a TestMain that forces exit code 0, before the tests or after them, is caught", { tags: "long" }, async () => {
  const main = (before: string) =>
    `package calc\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\t${before}\n\tos.Exit(0)\n}\n`;
  for (const before of ["", "m.Run()"]) {
    const { verdicts } = await testProject(
      { ...honest, "calc/bad_test.go": bad, "calc/main_test.go": main(before) },
      required,
      { cache },
    );
    expect(verdicts[line]?.verdict, before).toBe("failed");
    expect(verdicts[line]?.reason).toContain("turns failures green");
  }
});

whenGo("a root package that does not compile is missed while its tests are gone", { tags: "long" }, async () => {
  const inRoot = { "calc.go": source, "calc_test.go": bad.replace('"is %d"', '"is %d", undefinedName') };
  const files = { "go.mod": honest["go.mod"], ...inRoot, "calc/calc.go": source, "calc/calc_test.go": bad };
  const folder = writeProject({ ...files, "calc/calc_test.go": bad.replace("!= 4", "!= 3") });
  const { result } = await testFolder(folder, {}, { cache });
  expect(result.cases.find(({ isNoTest }) => isNoTest)).toMatchObject({ file: "", hides: [{ file: "calc_test.go" }] });
  const changes = async () => {
    const { signal } = new AbortController();
    const declared = await declaredNow({ folder, signal, secrets: {} }, result.cases);
    return compareTests(result.cases, (await testFolder(folder, {}, { cache })).result.cases, declared);
  };
  writeFileSync(join(folder, "calc_test.go"), bad.replace("!= 4", "!= 3"));
  expect(await changes()).toEqual({ deleted: [], skipped: [], emptied: [], weakened: [] });
  rmSync(join(folder, "calc_test.go"));
  expect((await changes()).deleted).toEqual(["'(package)' (calc_test.go)"]);
});
