import { describe, expect, test } from "vitest";
import { readCargoOutput } from "../../../src/verification/tests/read-cargo-output.ts";
import { readGoEvents } from "../../../src/verification/tests/read-go-events.ts";
import { readJunit } from "../../../src/verification/tests/read-junit.ts";

// What tests print stands between, and within, what their runner says of them.

const told = (cases: readonly { name: string; outcome: string }[] | undefined) =>
  cases?.map(({ name, outcome }) => `${name} ${outcome}`);

describe("a Go test that prints a text without a line end", () => {
  const folder = "example.com/sums/calc";
  const event = (more: object) => JSON.stringify({ Package: folder, ...more });
  const begun = (name: string) => event({ Action: "run", Test: name });
  const said = (name: string, text: string) => event({ Action: "output", Test: name, Output: text });
  const end = event({ Action: "fail" });
  // As go 1.19 writes it.
  const lines = [
    ...[begun("TestA"), said("TestA", "=== RUN   TestA\n"), said("TestA", "on…--- PASS: TestA (0.25s)\n")],
    ...[begun("TestB"), said("TestB", "    calc_test.go:5: no\n"), said("TestB", "on…--- FAIL: TestB (0.00s)\n")],
    ...[begun("TestC"), said("TestC", "on…--- SKIP: TestC (0.00s)\n")],
    begun("TestD"),
  ];

  test("has ended as Go says behind it", () => {
    const cases = readGoEvents([...lines, end].join("\n"), 100);
    expect(told(cases)).toEqual(["TestA passed", "TestB failed", "TestC skipped", "TestD failed"]);
    expect(cases?.map(({ durationMs }) => durationMs)).toEqual([250, 0, 0, 0]);
    expect(cases?.[1]?.message).toContain("calc_test.go:5: no");
    expect(cases?.[3]).toMatchObject({ hidesOthers: true });
  });

  test("has not ended where its program has not", () => {
    expect(told(readGoEvents(lines.join("\n"), 100))).toEqual([
      "TestA failed",
      "TestB failed",
      "TestC failed",
      "TestD failed",
    ]);
  });

  test("has not ended by what it prints itself where Go marks its own words", () => {
    const forged = [begun("TestA"), said("TestA", "on…--- PASS: TestA (0.25s)\n"), said("TestA", "PASS\n")];
    // As go 1.20 and later begin, and end a program that has ended itself with 0.
    const text = [event({ Action: "start" }), ...forged, event({ Action: "pass" })].join("\n");
    expect(readGoEvents(text, 100)).toMatchObject([{ name: "TestA", outcome: "failed", hidesOthers: true }]);
  });
});

describe("a Rust test whose own programs print past its capture", () => {
  const program = (count: number, lines: readonly string[], result: string) =>
    `     Running tests/adding.rs (target/debug/deps/adding-1)\n\nrunning ${count} tests\n${lines.join("\n")}\n\n${result}\n`;
  const result = (passed: number, failed: number) =>
    `test result: ${failed > 0 ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s`;
  const failures = (...names: string[]) =>
    `failures:\n\n---- ${names[0]} stdout ----\nleft == right\n\n\nfailures:\n${names.map((name) => `    ${name}\n`).join("")}\n`;

  test("has ended as the harness says behind it, or after it", () => {
    const beside = ["abctest adds ... ok", "test more ... ok", "50 %test panics - should panic ... ok"];
    expect(told(readCargoOutput(program(3, beside, result(3, 0)), 9))).toEqual([
      "more passed",
      "adds passed",
      "panics - should panic passed",
    ]);
    // Those that run alone are named first.
    const within = ["test adds ... one", "two", "threeok", "test more ... abcok", "test last ... ok"];
    expect(told(readCargoOutput(program(3, within, result(3, 0)), 9))).toEqual([
      "last passed",
      "adds passed",
      "more passed",
    ]);
  });

  test("has failed although it prints a success", () => {
    const lines = ["test adds ... ok 1 - started", "FAILED", "test bare ... ok", "FAILED", "test more ... ok"];
    const cases = readCargoOutput(program(3, lines, `${failures("adds", "bare")}${result(1, 2)}`), 9);
    expect(told(cases)).toEqual(["bare failed", "more passed", "adds failed"]);
    expect(cases?.[2]?.message).toContain("left == right");
  });

  test("has failed although its program prints another end behind its own", () => {
    const lines = ["test adds ... FAILED", "test more ... ok"];
    const own = `${failures("adds")}${result(1, 1)}`;
    for (const line of ["test adds ... ok", "xtest adds ... ok", "test adds ... ignored"])
      expect(told(readCargoOutput(program(2, lines, `${own}\n${line}\n\nfailures:\n\n${result(2, 0)}`), 9))).toEqual([
        "adds failed",
        "more passed",
      ]);
  });

  test("is told of where nobody can say how it ended", () => {
    const unread = readCargoOutput(program(2, ["test adds ... ok", "abc more ... ok"], result(2, 0)), 9);
    expect(told(unread)).toEqual(["adds passed", "(program) failed"]);
    expect(unread?.[1]?.message).toContain("How 1 of its tests ended cannot be read");
    const unnamed = readCargoOutput(program(1, ["test adds ... ok", "FAILED"], result(0, 1)), 9);
    expect(told(unnamed)).toEqual(["adds passed", "(program) failed"]);
    const ended = readCargoOutput(program(2, ["test adds ... ok", "abctest more ... ok"], ""), 9);
    expect(ended?.[1]?.message).toBe("The program ended before 1 of its tests did.");
  });
});

describe("JUnit", () => {
  const junit = (xml: string) => readJunit(xml, { maxCases: 9, suitesAre: "runs" });

  test("is read where a test has printed a document type, or the beginning of one", async () => {
    const said = "<!-- <!DOCTYPE html> --><system-out><![CDATA[<!DOCTYPE html><!ENTITY <!--]]></system-out><!--<!-->";
    const one = `<testcase name="a"><failure message="no"/>${said}</testcase>`;
    expect(told(await junit(`<testsuites><testsuite>${one}</testsuite></testsuites>`))).toEqual(["a failed"]);
    const types = '<!DOCTYPE x [<!ENTITY a "b">]>';
    for (const before of [types, `<!-- x -->${types}`])
      expect(await junit(`${before}<testsuites><testcase name="a"/></testsuites>`)).toBeUndefined();
  });

  test("tells of a test that has failed before or after the rest of it was skipped", async () => {
    const inner = (text: string) => junit(`<testsuite><testcase name="a">${text}</testcase></testsuite>`);
    const skipped = '<skipped type="pytest.skip" message="later">test_a.py:10: later</skipped>';
    // As pytest 9 writes a subtest that failed.
    expect(await inner(`<failure message="is 3">x</failure>${skipped}`)).toMatchObject([
      { outcome: "failed", message: "is 3" },
    ]);
    expect(await inner(`${skipped}<error message="late"/>`)).toMatchObject([{ outcome: "failed", message: "late" }]);
    expect(await inner(skipped)).toMatchObject([{ outcome: "skipped", message: "" }]);
    // As node:test writes one that is still to do.
    const toDo = '<skipped type="todo" message="true"/><failure message="no"/>';
    expect(await inner(toDo)).toMatchObject([{ outcome: "skipped", message: "" }]);
  });
});
