import { expect, test } from "vitest";
import { summariseCoverage } from "../../../src/verification/tests/code-coverage/measure-coverage.ts";
import { readCobertura } from "../../../src/verification/tests/code-coverage/read-cobertura.ts";
import { readGoProfile } from "../../../src/verification/tests/code-coverage/read-go-profile.ts";
import { readIstanbul } from "../../../src/verification/tests/code-coverage/read-istanbul.ts";
import { readLcov } from "../../../src/verification/tests/code-coverage/read-lcov.ts";
import { parseTestScript } from "../../../src/verification/tests/parse-script.ts";
import { readCargoOutput } from "../../../src/verification/tests/read-cargo-output.ts";
import { readGoEvents } from "../../../src/verification/tests/read-go-events.ts";
import { readJestJson } from "../../../src/verification/tests/read-jest-json.ts";
import { readJunit } from "../../../src/verification/tests/read-junit.ts";
import { onlyRoot } from "../../support/verification/packages.ts";

const junit = (xml: string) => readJunit(xml, { maxCases: 3, suitesAre: "groups" });

test("JUnit XML is read without document types, entities and endless nesting", async () => {
  expect(await junit("<testsuites><testcase name='a &lt;&amp;&#66;&#x43; &custom;' time='0.5'/></testsuites>")).toEqual(
    [{ file: "", name: "a <&BC &custom;", outcome: "passed", durationMs: 500, message: "" }],
  );
  // node:test escapes quotes twice.
  const failed = await junit(
    "<testsuites><testcase name='a'><failure message='is &amp;quot;b&quot;'/></testcase></testsuites>",
  );
  expect(failed).toMatchObject([{ message: 'is "b"' }]);
  expect(await junit('<!DOCTYPE x [<!ENTITY a "b">]><testsuites><testcase name="a"/></testsuites>')).toBeUndefined();
  expect(await junit("<html></html>")).toBeUndefined();
  expect(await junit("<testsuites><testcase name='__proto__' time='x'/></testsuites>")).toMatchObject([
    { durationMs: 0 },
  ]);
  const off = "<testcase name='DISABLED_a' status='notrun' result='suppressed'/><testcase name='b' status='run'/>";
  expect(await junit(`<testsuites>${off}</testsuites>`)).toMatchObject([{ outcome: "skipped" }, { outcome: "passed" }]);
  // CTest, and further versions of GoogleTest.
  const others = [`status="disabled"`, `status="run" result="skipped"`, `status="run" result="completed"`];
  expect(
    await junit(`<testsuite>${others.map((how) => `<testcase name="a" ${how}/>`).join("")}</testsuite>`),
  ).toMatchObject([{ outcome: "skipped" }, { outcome: "skipped" }, { outcome: "passed" }]);
  const deep = `${"<testsuite>".repeat(5_000)}<testcase name="deep"/>${"</testsuite>".repeat(5_000)}`;
  expect((await junit(deep)) ?? []).toEqual([]);
  expect(await junit(`<testsuites>${"<testcase name='a'/>".repeat(9)}</testsuites>`)).toHaveLength(3);
});

test("a JUnit report whose head counts failures that none of its tests tells of has a failure", async () => {
  const outcomes = async (xml: string) => (await junit(xml))?.map(({ name, outcome }) => `${name} ${outcome}`);
  const headless = '<testsuite tests="3" failures="2"><testcase name="a"/></testsuite>';
  expect(await outcomes(headless)).toEqual(["a passed", "(suite) failed"]);
  expect(await outcomes(`<testsuites failures="2" errors="0">${headless}</testsuites>`)).toHaveLength(2);
  expect(await outcomes('<testsuites errors="1"><testcase name="a"/></testsuites>')).toContain("(suite) failed");
  expect((await junit(headless))?.[1]?.message).toContain("2 failures");
  // Gotestsum counts warnings of a linker so.
  const ofGo = '<testsuites errors="3"><testsuite failures="0"><testcase name="a"/></testsuite></testsuites>';
  expect(await outcomes(ofGo)).toEqual(["a passed"]);
  // What failed and does not count is told by the test: one still to do, one that passed at last.
  const todo = '<testcase name="a"><skipped type="todo"/><failure/></testcase>';
  expect(await outcomes(`<testsuites><testsuite failures="1">${todo}</testsuite></testsuites>`)).toEqual(["a skipped"]);
  const flaky = '<testcase name="a"><flakyFailure/></testcase>';
  expect(await outcomes(`<testsuite failures="1">${flaky}</testsuite>`)).toEqual(["a passed"]);
  expect(await outcomes('<testsuite failures="0" errors=""><testcase name="a"/></testsuite>')).toEqual(["a passed"]);
});

// As go 1.19 wrote it.
const goOutput = `{"Action":"run","Package":"example.com/g/calc","Test":"TestAdd"}
{"Action":"output","Package":"example.com/g/calc","Test":"TestAdd","Output":"=== RUN   TestAdd\\n"}
{"Action":"pass","Package":"example.com/g/calc","Test":"TestAdd","Elapsed":0.25}
{"Action":"output","Package":"example.com/g/calc","Test":"TestBad/sub","Output":"    calc_test.go:14: got 3\\n"}
{"Action":"output","Package":"example.com/g/calc","Test":"TestBad/sub","Output":"    --- FAIL: TestBad/sub (0.00s)\\n"}
{"Action":"fail","Package":"example.com/g/calc","Test":"TestBad/sub","Elapsed":0}
{"Action":"skip","Package":"example.com/g/calc","Test":"TestSkip","Elapsed":0}
{"Action":"fail","Package":"example.com/g/calc","Elapsed":0.005}
{"Action":"output","Package":"example.com/g/other","Output":"FAIL\\texample.com/g/other [build failed]\\n"}
{"Action":"fail","Package":"example.com/g/other","Elapsed":0}
`;

test("go test -json: tests, subtests, and a package that does not compile", () => {
  expect(readGoEvents(goOutput, 100)).toEqual([
    { file: "example.com/g/calc", name: "TestAdd", outcome: "passed", durationMs: 250, message: "" },
    {
      file: "example.com/g/calc",
      name: "TestBad/sub",
      outcome: "failed",
      durationMs: 0,
      message: "    calc_test.go:14: got 3\n",
    },
    { file: "example.com/g/calc", name: "TestSkip", outcome: "skipped", durationMs: 0, message: "" },
    {
      file: "example.com/g/other",
      name: "(package)",
      outcome: "failed",
      durationMs: 0,
      message: "FAIL\texample.com/g/other [build failed]\n",
      hidesOthers: true,
      isNoTest: true,
    },
  ]);
  expect(readGoEvents("no go here", 100)).toBeUndefined();
});

test("JUnit: only what runners say of a file that they could not load makes a case no test", async () => {
  const noTests = async (xml: string, suitesAre: "runs" | "groups" | "files") => {
    const cases = await readJunit(`<testsuite>${xml}</testsuite>`, { maxCases: 9, suitesAre });
    return cases?.map(({ isNoTest }) => isNoTest === true);
  };
  const said = '<error message="collection failure">E   boom</error>';
  const ofPytest = `<testcase classname="" name="test_a" file="test_a.py">${said}</testcase>`;
  expect(await noTests(ofPytest, "runs")).toEqual([true]);
  for (const suitesAre of ["groups", "files"] as const) expect(await noTests(ofPytest, suitesAre)).toEqual([false]);
  for (const forged of [
    ofPytest.replaceAll("error", "failure"),
    ofPytest.replace('classname=""', 'classname="test_a"'),
    ofPytest.replace("<error ", "<failure type='collection failure' ").replace("</error>", "</failure>"),
  ])
    expect(await noTests(forged, "runs"), forged).toEqual([false]);
});

// In the format of cargo test.
const cargoOutput = `   Compiling r v0.1.0
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.40s
     Running unittests src/lib.rs (target/debug/deps/r-1)

running 3 tests
test tests::adds ... ok
test tests::later ... ignored
test tests::bad ... FAILED

failures:

---- tests::bad stdout ----

thread 'tests::bad' panicked at src/lib.rs:9:9:
assertion \`left == right\` failed

failures:
    tests::bad

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/whole.rs (target/debug/deps/whole-1)

running 1 test
test works ... ok

error: test failed, to rerun pass \`--lib\`
`;

test("cargo test: unit tests, files of tests/, messages", () => {
  const cases = readCargoOutput(cargoOutput, 100);
  expect(cases?.map(({ file, name, outcome }) => `${file} ${name} ${outcome}`)).toEqual([
    "src/lib.rs tests::adds passed",
    "src/lib.rs tests::later skipped",
    "src/lib.rs tests::bad failed",
    "tests/whole.rs works passed",
  ]);
  expect(cases?.[2]?.message).toContain("left == right");
  expect(readCargoOutput("error[E0425]: cannot find value `x`\n", 9)).toMatchObject([{ outcome: "failed" }]);
  expect(readCargoOutput("", 9)).toBeUndefined();
});

test("jest --json: groups, skips, a file that cannot be loaded", () => {
  const file = (more: object) => ({
    name: "/p/a.test.js",
    status: "passed",
    message: "",
    assertionResults: [],
    ...more,
  });
  const assertionResults = [
    { ancestorTitles: ["g"], title: "t", status: "pending", duration: null, failureMessages: [] },
  ];
  const text = JSON.stringify({ testResults: [file({ assertionResults }), file({ status: "failed", message: "no" })] });
  expect(readJestJson(text, 9)).toMatchObject([
    { name: "g > t", outcome: "skipped" },
    { name: "(file)", outcome: "failed", isNoTest: true },
  ]);
  expect(readJestJson("[]", 9)).toBeUndefined();
});

const text = "export const a = () => 1;\n/* istanbul ignore next */\nexport function b() {\n  return 2;\n}\n";
const sources = [{ path: "src/a.js", text, language: "javascript" as const }];

test("Istanbul, lcov and Cobertura say the same of a file; what a comment hides is not covered", async () => {
  const at = (line: number) => ({ start: { line, column: 0 }, end: { line, column: 9 } });
  const istanbul = JSON.stringify({
    "/p/src/a.js": {
      path: "/p/src/a.js",
      statementMap: { 0: at(1) },
      s: { 0: 3 },
      fnMap: { 0: { name: "a", decl: at(1) } },
      f: { 0: 1 },
    },
  });
  const lcov = "TN:\nSF:src/a.js\nFN:1,a\nFNDA:1,a\nDA:1,1\nend_of_record\n";
  const cobertura = `<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://example.org/coverage-04.dtd">
<coverage><packages><package><classes><class filename="src/a.js"><methods><method name="a"><lines><line number="1" hits="1"/></lines></method></methods><lines><line number="1" hits="1"/></lines></class></classes></package></packages></coverage>`;
  for (const raw of [
    readIstanbul(istanbul),
    readLcov(lcov, { listsEveryLine: false }),
    await readCobertura(cobertura),
  ]) {
    const { lines, functions, hiddenLines } = await summariseCoverage(raw!, sources, { roots: ["/p"] });
    expect({ lines, functions, hiddenLines }).toEqual({
      lines: { covered: 1, total: 4 },
      functions: { covered: 1, total: 2 },
      hiddenLines: 3,
    });
  }
  expect(await readCobertura('<!DOCTYPE coverage [<!ENTITY a "b">]><coverage/>')).toBeUndefined();
});

test("Istanbul: a statement that is not counted, or by no number above zero, did not run", () => {
  const at = (line: number) => ({ start: { line, column: 0 }, end: { line, column: 1 } });
  const statementMap = { 0: at(1), 1: at(2), 2: at(3), 3: at(4), 4: at(5) };
  const file = { path: "a.js", statementMap, s: { 0: 2, 1: 0, 2: "1", 3: -1 }, fnMap: {}, f: {} };
  const covered = readIstanbul(JSON.stringify({ "a.js": file }))?.files[0]?.lines;
  expect([...(covered ?? [])].filter(([, hits]) => hits > 0)).toEqual([[1, 1]]);
});

test("lcov: functions of one name are told apart, in whichever form", () => {
  const named = (text: string) => {
    const { files } = readLcov(`SF:a.js\n${text}\nend_of_record\n`, { listsEveryLine: true });
    return files[0]?.functions.map(({ name, line, hits }) => `${name} ${line} ${hits}`);
  };
  // As Node writes it, where several classes have a method of that name.
  expect(named("FN:1,run\nFN:5,run\nFN:9,run\nFNDA:3,run\nFNDA:0,run\nFNDA:0,run")).toEqual([
    "run 1 1",
    "run 5 0",
    "run 9 0",
  ]);
  expect(named("FN:1,run\nFNDA:0,run\nFN:5,run\nFNDA:2,run")).toEqual(["run 1 0", "run 5 1"]);
  expect(named("FN:1,3,run\nFNDA:2,run\nFN:5,9,stop\nFNDA:0,stop")).toEqual(["run 1 1", "stop 5 0"]);
  expect(named("FNDA:2,run\nFN:1,run\nFNDA:0,stop")).toEqual(["run 1 1", "stop 0 0"]);
  // As lcov 2.2 writes it: a function may have several names.
  expect(named("FNL:0,1,3\nFNA:0,0,run\nFNL:1,5\nFNA:1,0,stop\nFNA:1,2,end,all\nFNA:7,0,lost")).toEqual([
    "run 1 0",
    "stop 5 1",
    "lost 0 0",
  ]);
  expect(named("FN:1,a\u2028b\nFNDA:0,a\u2028b")).toEqual(["a\u2028b 1 0"]);
});

test("Cobertura: paths begin at the folder that it names, and a file may have several classes", async () => {
  const classOf = (filename: string, line: number, hits: number) =>
    `<class filename="${filename}"><methods/><lines><line number="${line}" hits="${hits}"/></lines></class>`;
  const xml = (folders: readonly string[]) => `<coverage>
<sources>${folders.map((folder) => `<source>${folder}</source>`).join("")}</sources><packages><package><classes>${[
    classOf("app/a.py", 1, 0),
    classOf("app/a.py", 2, 1),
    classOf("/p/src/app/b.py", 1, 1),
  ].join("")}</classes></package></packages></coverage>`;
  const text = "a()\nb()\n";
  const sources = ["src/app/a.py", "src/app/b.py"].map((path) => ({ path, text, language: "python" as const }));
  const linesOf = async (folders: readonly string[], asked: typeof sources) => {
    const raw = await readCobertura(xml(folders));
    const { files } = await summariseCoverage(raw!, asked, { roots: ["/p"] });
    return files.map(({ lines: { covered, total } }) => `${covered} of ${total}`);
  };
  for (const folder of ["/p/src", "./src/"]) expect(await linesOf([folder], sources)).toEqual(["1 of 2", "1 of 1"]);
  // Where nobody knows, or it is none of the project's folders, as tools for Go write it.
  const plain = [{ path: "app/a.py", text, language: "python" as const }];
  for (const folders of [["/p/src", "/p/lib"], [], ["/usr/local/go/src"]])
    expect(await linesOf(folders, plain)).toEqual(["1 of 2"]);
});

test("a Go profile: lines by blocks, functions by their lines, files by their module", async () => {
  const raw = readGoProfile(
    "mode: set\nexample.com/g/calc/calc.go:3.24,5.2 1 1\nexample.com/g/calc/calc.go:7.24,9.2 1 0\n",
  );
  const go =
    "package calc\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n\nfunc Sub(a, b int) int {\n\treturn a - b\n}\n";
  const coverage = await summariseCoverage(raw!, [{ path: "calc/calc.go", text: go, language: "go" }], { roots: [] });
  expect(coverage).toMatchObject({ lines: { covered: 3, total: 6 }, functions: { covered: 1, total: 2 }, ratio: 0.5 });
});

test("a Go profile: a file is not taken for another of its name further below", async () => {
  const text = "package g\n\nfunc Add() int {\n\treturn 1\n}\n";
  const sources = ["b/util.go", "a/b/util.go"].map((path) => ({ path, text, language: "go" as const }));
  // Go writes them in any order.
  const raw = readGoProfile(
    "mode: set\nexample.com/g/a/b/util.go:3.16,5.2 1 1\nexample.com/g/b/util.go:3.16,5.2 1 0\n",
  );
  const { files } = await summariseCoverage(raw!, sources, { roots: [] });
  expect(files.map(({ path, lines: { covered } }) => [path, covered])).toEqual([
    ["b/util.go", 0],
    ["a/b/util.go", 3],
  ]);
  // It has no statements of files that only declare.
  const declares = {
    path: "types.go",
    text: 'package g\n\nvar Known = map[string]int{\n\t"m": 1,\n}\n',
    language: "go",
  };
  const all = await summariseCoverage(raw!, [...sources, declares as (typeof sources)[0]], { roots: [] });
  expect(all.files).toHaveLength(2);
  // A package without tests may be left out.
  const partly = readGoProfile("mode: set\nexample.com/g/a/b/util.go:3.16,5.2 1 1\n");
  const known = await summariseCoverage(partly!, sources, { roots: [], goModule: "example.com/g" });
  expect(known.files.map(({ lines: { covered } }) => covered)).toEqual([0, 3]);
});

test.for([
  ["npm test", "node:test", ["--import", "tsx", "test/*.ts"]],
  ["npx vitest run --config v.ts", "vitest", ["--config", "v.ts"]],
  ["NODE_ENV=test jest --ci 'a b'", "jest", ["--ci", "'a b'"]],
  ["python3 -m pytest -q tests", "pytest", ["-q", "tests"]],
  ["python -m unittest discover -s t", "unittest", ["discover", "-s", "t"]],
  ["go test ./...", "go test", ["./..."]],
  ["cargo test --all", "cargo test", ["--all"]],
] as const)("'%s' is %s", ([script, runner, words]) => {
  const steps = parseTestScript(script, onlyRoot({ test: "node --import tsx --test test/*.ts" }));
  expect(steps?.at(-1)).toMatchObject({ is: "tests", runner, words });
});

test("a script of several steps keeps what comes before; one that a shell could bend is not taken for a runner", () => {
  const scripts = { build: "tsc", test: "npm run build && vitest run", pretest: "echo hi", loop: "npm run loop" };
  expect(
    parseTestScript("npm test", onlyRoot(scripts))?.map((step) => (step.is === "tests" ? step.runner : step.command)),
  ).toEqual(["echo hi", "npm run build", "vitest"]);
  for (const script of [
    "true",
    "npm run loop",
    "node --test || true",
    "vitest run; true",
    "jest | tee x",
    "pytest $(x)",
    "echo node --test",
  ])
    expect(parseTestScript(script, onlyRoot(scripts)), script).toBeUndefined();
});

test("sources and profiles made to keep the service busy are read in bounded time", { tags: "long" }, async () => {
  const many = "/* istanbul ignore next */ {\n".repeat(30_000);
  const raw = { method: "lcov", listsEveryLine: false, files: [] };
  const coverage = await summariseCoverage(raw, [{ path: "a.js", text: many, language: "javascript" }], { roots: [] });
  expect(coverage.ratio).toBe(0);
  const blocks = "a/a.go:1.1,9999999.1 1 1\n".repeat(1_000);
  expect(() => readGoProfile(`mode: set\n${blocks}`)).toThrow("tells of more than 5000000 lines");
  expect(parseTestScript(`node --test ${"'a' ".repeat(5_000)}`, onlyRoot({}))).toBeUndefined();
});
