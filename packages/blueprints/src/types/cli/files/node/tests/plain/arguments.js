import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments, splitCommand } from "#src/arguments.js";
import { UsageError } from "#src/errors.js";

const text = { name: "text", type: "string" };
const count = { name: "count", type: "integer", short: "c" };
const loud = { name: "loud", type: "boolean" };

function parse(words, expected = [text], options = [count, loud]) {
  return { ...parseArguments(words, { expected, options }).values };
}

test("arguments stand in order, options anywhere", () => {
  assert.deepEqual(parse(["--count", "3", "hello", "--loud"]), { count: 3, text: "hello", loud: true });
  assert.deepEqual(parse(["hello", "--count=3"]), { text: "hello", count: 3 });
  assert.deepEqual(parse(["hello", "-c", "3"]), { text: "hello", count: 3 });
  assert.deepEqual(parse(["hello", "-c3"]), { text: "hello", count: 3 });
  assert.deepEqual(parse(["hello", "-lc3"], [text], [count, { ...loud, short: "l" }]), { text: "hello", loud: true, count: 3 });
  assert.deepEqual(parse(["hello", "--loud=false"]), { text: "hello", loud: false });
});

test("after two hyphens nothing is an option, and a number may have a minus", () => {
  assert.deepEqual(parse(["--", "--loud"]), { text: "--loud" });
  assert.deepEqual(parse(["-5"], [count], []), { count: -5 });
});

test("what is missing, unknown or too much is told", () => {
  assert.throws(() => parse([]), new UsageError("text is missing"));
  assert.throws(() => parse(["a", "b"]), new UsageError("'b' is one argument too many"));
  assert.throws(() => parse(["a", "--quick"]), new UsageError("there is no option '--quick'"));
  assert.throws(() => parse(["a", "-xc"]), new UsageError("there is no option '-xc'"));
  assert.throws(() => parse(["a", "-cx"]), /count must be a whole number/);
  assert.throws(() => parse(["a", "--count"]), new UsageError("--count needs a value"));
  assert.throws(() => parse(["a"], [text], [{ ...count, required: true }]), new UsageError("--count is missing"));
});

test("a hyphen stands for standard input where that is read", () => {
  const given = { ...count, stdin: "lines" };
  assert.deepEqual(parse(["-", "a"], [given, text], []), { text: "a" });
  assert.deepEqual(parse([], [given], []), {});
  assert.deepEqual(parse(["a"], [given, text], []), { text: "a" });
});

test("optional arguments may be left out, and the last may take all that is left", () => {
  assert.deepEqual(parse([], [{ ...text, optional: true }]), {});
  assert.deepEqual(parse(["a", "b"], [{ ...text, multiple: true }]), { text: ["a", "b"] });
});

test("defaults are filled in; today and now are what they say", () => {
  const day = { name: "day", type: "date", default: "today" };
  const time = { name: "time", type: "datetime", default: "now" };
  const values = parse(["a"], [text], [day, time, { ...count, default: 7 }]);
  assert.match(values.day, /^\d{4}-\d\d-\d\d$/);
  assert.ok(Math.abs(Date.parse(values.time) - Date.now()) < 60_000);
  assert.equal(values.count, 7);
});

test("options of the program may stand before the command", () => {
  const isCommand = (word) => word === "go";
  const file = { name: "file", type: "path" };
  assert.deepEqual(splitCommand(["--file", "go", "go", "x"], [file], isCommand), {
    name: "go",
    words: ["--file", "go", "x"],
  });
  assert.deepEqual(splitCommand(["-f", "go", "go"], [{ ...file, short: "f" }], isCommand).words, ["-f", "go"]);
  assert.equal(splitCommand(["stay"], [file], isCommand).name, undefined);
  assert.equal(splitCommand(["--", "go"], [file], isCommand).name, undefined);
});
