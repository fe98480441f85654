import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compareTests, strongestTests } from "../../../src/verification/tests/compare-tests.ts";
import { checksOf } from "../../../src/verification/tests/count-assertions.ts";
import { declaredIn } from "../../../src/verification/tests/declared-tests.ts";
import { declaredNow } from "../../../src/verification/tests/index.ts";
import type { TestCase } from "../../../src/verification/tests/test-case.ts";
import { testFolder, writeProject } from "../../support/verification/test-project.ts";

const one = (file: string, name: string, more: Partial<TestCase> = {}): TestCase => {
  return { file, name, outcome: "passed", isFlaky: false, durationMs: 1, message: "", ...more };
};
/** A case that tells that these files could not run. */
const around = (file: string, hidden?: Readonly<Record<string, string>>) => {
  const hides = hidden && Object.entries(hidden).map(([path, text]) => declaredIn(path, text));
  return one(file, "(file)", { outcome: "failed", isNoTest: true, ...(hides && { hides }) });
};
const now = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, declaredIn(path, text, "all lines")]));

const head = 'import assert from "node:assert/strict";\nimport test from "node:test";\n';
const both = 'test("adds", () => { assert.equal(add(1), 2); });\ntest("doubles", () => { assert.ok(double(1)); });\n';
const trivial = 'test("is a module", () => { assert.equal(1, 1); assert.equal(2, 2); });\n';
const ran = [one("a.test.js", "adds", { assertions: 1 }), one("a.test.js", "g > doubles", { assertions: 1 })];

test("what told why a file could not be loaded is not missed once its tests run", () => {
  const before = [around("a.test.js", { "a.test.js": both })];
  const lacks = (cases: readonly TestCase[], text: string | undefined) => {
    const { deleted, skipped, emptied, weakened } = compareTests(
      before,
      cases,
      now(text === undefined ? {} : { "a.test.js": text }),
    );
    return [...deleted, ...skipped, ...emptied, ...weakened];
  };
  expect(lacks(ran, both)).toEqual([]);
  expect(lacks(ran, `import "x";\n${both}`)).toEqual([]);
  expect(lacks(ran.slice(0, 1), both), "one may be made for some machines alone").toEqual([]);
  expect(lacks([one("b.test.js", "x")], both)).toEqual(["'(file)' (a.test.js)"]);
  expect(lacks([], both)).toEqual(["'(file)' (a.test.js)"]);
  expect(lacks([one("a.test.js", "adds", { outcome: "skipped" })], both)).toEqual(["'(file)' (a.test.js)"]);
  expect(lacks([one("a.test.js", "is a module", { assertions: 2 })], trivial)).toEqual([
    "'adds' (a.test.js)",
    "'doubles' (a.test.js)",
  ]);
  const kept = `${trivial}// ${both.split("\n").join("\n// ")}`;
  expect(lacks([one("a.test.js", "is a module", { assertions: 2 })], kept), "as comments").toHaveLength(2);
  expect(lacks([ran[0]!, { ...ran[1]!, assertions: 0 }], `${both} `)).toEqual(["'doubles' (a.test.js)"]);
  expect(lacks([ran[0]!, { ...ran[1]!, outcome: "skipped" }], `${both} `)).toEqual(["'doubles' (a.test.js)"]);
  expect(
    lacks(
      ran.map((test) => ({ ...test, file: "b.test.jsx" })),
      undefined,
    ),
    "moved",
  ).toEqual([]);
});

test("tests whose names are computed, and checks outside of tests, are not traded for others", () => {
  const computed =
    'for (const n of [1, 2]) test("adds " + n, () => assert.ok(add(n)));\ntest(name, () => assert.ok(add(9)));\n';
  const lacks = (before: string, cases: readonly TestCase[], after: string) =>
    compareTests([around("a.test.js", { "a.test.js": before })], cases, now({ "a.test.js": after }));
  const passed = [one("a.test.js", "x", { assertions: 1 })];
  expect(lacks(computed, passed, 'test("x", () => assert.ok(2));\n').weakened).toEqual([
    "a.test.js: 2 tests before, 1 now",
    "a.test.js: 2 assertions before, 1 now",
  ]);
  const plain = 'import { equal } from "node:assert";\nequal(add(2, 2), 4);\nassert.ok(add);\n';
  expect(lacks(plain, passed, 'test("x", () => { assert.ok(2); assert.ok(3); });\n').deleted).toEqual([
    "'equal(add(2, 2), 4);' (a.test.js)",
    "'assert.ok(add);' (a.test.js)",
  ]);
  expect(lacks(plain, passed, `${plain}test("x", () => {});\n`).deleted).toEqual([]);
  const mixed = 'test("x", () => assert.ok(2));\nassert.equal(add(2, 2), 4);\n';
  expect(lacks(mixed, passed, 'test("x", () => assert.ok(2));\n').deleted).toEqual([
    "'assert.equal(add(2, 2), 4);' (a.test.js)",
  ]);
});

/** What an honest repair that rewrites a file lacks; all that is wrong with it is one word. */
const lackOfRepair = (file: string, text: string, reported: Readonly<Record<string, TestCase["outcome"]>>) => {
  const mended = text.replace("imprt", "import");
  const cases = Object.entries(reported).map(([name, outcome]) =>
    one(file, name, { outcome, assertions: checksOf(mended, name).assertions }),
  );
  return compareTests([around(file, { [file]: text })], cases, now({ [file]: mended }));
};
const none = { deleted: [], skipped: [], emptied: [], weakened: [] };

test("tests of one name, in several groups, are told by what the first checks", () => {
  const python = (group: string, checks: string) =>
    `class Test${group}(TestCase):\n    def test_works(self):\n${checks}\n`;
  const once = "        self.assertEqual(a(), 1)\n";
  const classes = `imprt unittest\n${python("A", once)}${python("B", once + once)}`;
  const passed = { "TestA > test_works": "passed", "TestB > test_works": "passed" } as const;
  expect(lackOfRepair("test_a.py", classes, passed)).toEqual(none);
  const groups =
    'imprt "x";\ndescribe("A", () => it("works", () => { expect(a).toBe(1); }));\n' +
    'describe("B", () => it("works", () => { expect(a).toBe(1); expect(b).toBe(2); }));\n';
  expect(lackOfRepair("a.test.js", groups, { "A > works": "passed", "B > works": "passed" })).toEqual(none);
  const { deleted } = lackOfRepair("a.test.js", groups, { "A > works": "passed" });
  expect(deleted, "one of them").toEqual(["'works' (a.test.js)"]);
});

test("groups, hooks and names that are put together are no tests of their own", () => {
  const text =
    'imprt test from "node:test";\ntest.beforeEach(() => reset());\ntest.describe("A", () => {\n' +
    '  test("works", () => { assert.ok(a); });\n  test("with " +\n    "more", () => { assert.ok(b); });\n});\n';
  const reported = { "A > works": "passed", "A > with more": "passed" } as const;
  expect(lackOfRepair("a.test.js", text, reported)).toEqual(none);
  const go = "func TestA(t *testing.T) { t.Fatal() }\n\nfunc Testing(t *testing.T) int { return 1 }\n";
  expect(declaredIn("a_test.go", go).tests.map(({ name }) => name)).toEqual(["TestA"]);
});

test("what pytest's fixtures are called makes no test of them", () => {
  for (const mark of [
    "@pytest.fixture\n",
    '@pytest_asyncio.fixture(\n    scope="module",\n)\nasync ',
    "@fixture()\n",
  ]) {
    const fixture = `imprt pytest\n\n${mark}def test_client():\n    yield 1\n`;
    const text = `${fixture}\nasync def test_a(test_client):\n    assert test_client\n`;
    expect(lackOfRepair("test_a.py", text, { test_a: "passed" }), mark).toEqual(none);
    expect(lackOfRepair("test_a.py", text, { test_b: "passed" }).deleted, mark).toEqual(["'test_a' (test_a.py)"]);
  }
});

test("tests that a file leaves out by itself may be left out once it can run", () => {
  for (const how of ["{\n  timeout: 5, skip: !db }", "{ timeout: 5,\n  todo: true }"]) {
    const text = `imprt "x";\ntest("a", () => { assert.ok(a); });\ntest("b", ${how}, () => { assert.ok(b); });\n`;
    expect(lackOfRepair("a.test.js", text, { a: "passed", b: "skipped" }), how).toEqual(none);
  }
  const runs = 'imprt "x";\ntest("a", () => { assert.ok(a); }); // adds, only once\n';
  expect(lackOfRepair("a.test.js", `${runs}test("b", () => {});\n`, { a: "skipped", b: "passed" }).skipped).toEqual([
    "'a' (a.test.js)",
  ]);
  for (const mark of ["@pytest.mark.xfail\n", "@expectedFailure\n"]) {
    const text = `imprt x\ndef test_a():\n    assert x.a()\n\n${mark}def test_b():\n    assert x.b()\n`;
    expect(lackOfRepair("test_a.py", text, { test_a: "passed", test_b: "skipped" }), mark).toEqual(none);
  }
});

test("tests of one package or crate stand for no others", () => {
  const go = "func TestAdd(t *testing.T) {\n\tif Add(2, 2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n";
  const tagged = "//go:build windows\n\npackage calc\n\nfunc TestWindows(t *testing.T) { t.Fatal() }\n";
  expect(declaredIn("w_test.go", tagged).count).toBe(0);
  const main = "func TestMain(m *testing.M) { m.Run() }\n\nfunc ExampleAdd() {}\n";
  expect(declaredIn("main_test.go", main).count).toBe(0);
  const root = [around("", { "calc_test.go": go })];
  const sub = one("sub/sub_test.go", "TestOne");
  expect(compareTests(root, [sub], now({})).deleted).toEqual(["'(file)' (calc_test.go)"]);
  const added = one("calc_test.go", "TestAdd", { assertions: 1 });
  expect(compareTests(root, [sub, added], now({ "calc_test.go": go })).deleted).toEqual([]);
  const rust =
    "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n\n#[tokio::test]\nasync fn waits() { panic!() }\n";
  expect(declaredIn("src/lib.rs", rust).tests).toEqual([
    { name: "adds", assertions: 1 },
    { name: "waits", assertions: 1 },
  ]);
  const crate = [around("", { "one/src/a.rs": rust, "tests/b.rs": rust.replaceAll("adds", "subtracts") })];
  const member = [one("src/lib.rs", "a::tests::adds - should panic"), one("tests/b.rs", "subtracts")];
  const files = now({ "one/src/a.rs": rust, "tests/b.rs": rust.replaceAll("adds", "subtracts") });
  expect(compareTests(crate, member, files).deleted).toEqual([]);
  expect(compareTests(crate, member.slice(0, 1), files).deleted).toEqual(["'(file)' (tests/b.rs)"]);
});

test("what could not run, nobody knows where, is missed until there are tests that were not there before", () => {
  const known = one("a.test.js", "adds");
  const before = [around(""), known];
  expect(compareTests(before, [known]).deleted).toEqual(["'(file)'"]);
  expect(compareTests(before, [known, one("b.test.js", "adds")]).deleted).toEqual([]);
  expect(compareTests([around("", {}), known], [known]).deleted, "it hid none").toEqual([]);
});

test("what could not run at first counts until it runs, whatever its file declares in between", () => {
  const still = around("a.test.js", { "a.test.js": trivial });
  const first = around("a.test.js", { "a.test.js": both });
  const kept = strongestTests([first], [still], now({ "a.test.js": trivial }));
  expect(kept).toEqual([first]);
  const passed = [one("a.test.js", "is a module", { assertions: 2 })];
  expect(compareTests(kept, passed, now({ "a.test.js": trivial })).deleted).toHaveLength(2);
  expect(strongestTests(kept, passed, now({ "a.test.js": trivial })).map(({ name }) => name)).toEqual([
    "is a module",
    "(file)",
  ]);
  expect(strongestTests(kept, ran, now({ "a.test.js": both }))).toEqual(ran);
  const named = one("a.test.js", "(file)");
  expect(compareTests(kept, [named], now({ "a.test.js": trivial })).deleted, "a test of its name").toHaveLength(2);
});

test("node:test: a repair mends tests that failed or could not run, and trades none of them for others", {
  tags: "long",
}, async () => {
  const imports = (name: string) => `${head}import { add } from "../${name}.js";\n`;
  const plain = imports("wrong").replace('import test from "node:test";\n', "");
  const adds = (name: string) => `${imports(name)}test("adds by ${name}", () => assert.equal(add(2, 2), 4));\n`;
  const folder = writeProject({
    "package.json": JSON.stringify({ name: "calc", type: "module" }),
    ...{ "test/trick.test.js": adds("trick"), "test/broken.test.js": adds("broken") },
    "test/plain.test.js": `${plain}assert.equal(add(2, 2), 4);\n`,
    "trick.js": 'export function add() { throw new Error("collection failure"); }\n',
    "broken.js": "export const add = (a, b) => a +;\n",
    "wrong.js": "export const add = () => 5;\n",
  });
  const write = (files: readonly string[], text: string) => {
    for (const path of files) writeFileSync(join(folder, path), text);
  };
  const { result } = await testFolder(folder);
  const told = result.cases.map(({ name, outcome, isNoTest }) => `${name} ${outcome} ${isNoTest}`);
  expect(told.sort()).toEqual([
    "adds by trick failed undefined",
    "test/broken.test.js failed true",
    "test/plain.test.js failed undefined",
  ]);
  const changes = async () => {
    const { signal } = new AbortController();
    const declared = await declaredNow({ folder, signal, secrets: {} }, result.cases);
    return compareTests(result.cases, (await testFolder(folder)).result.cases, declared);
  };
  write(["trick.js", "broken.js", "wrong.js"], "export const add = (a, b) => a + b;\n");
  expect(await changes()).toEqual({ deleted: [], skipped: [], emptied: [], weakened: [] });
  const isModule = `${head}test("is a module", () => assert.equal(1, 1));\n`;
  write(["test/trick.test.js", "test/broken.test.js", "test/plain.test.js"], isModule);
  expect((await changes()).deleted.toSorted()).toEqual([
    "'adds by broken' (test/broken.test.js)",
    "'adds by trick' (test/trick.test.js)",
    "'test/plain.test.js' (test/plain.test.js)",
  ]);
});
