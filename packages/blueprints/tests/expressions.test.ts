import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withSteps } from "../src/kit/document-steps.ts";
import { readExpression as readComputation } from "../src/kit/expression/check-expression.ts";
import { evaluateExpression } from "../src/kit/expression/evaluate-expression.ts";
import { boolean, number, text as textType } from "../src/kit/expression/value-type.ts";
import { type FormulaScope, readFormula, type ValueType } from "../src/kit/formula.ts";
import { readExpression as readCondition } from "../src/types/api/read-expression.ts";

const scopeOf = (types: Readonly<Record<string, ValueType>>, more: Partial<FormulaScope> = {}): FormulaScope => ({
  typeOf: (name) => (Object.hasOwn(types, name) ? types[name] : undefined),
  referred: () => undefined,
  belonging: () => undefined,
  ...more,
});

const line = scopeOf({ amount: "number", paid: "boolean", day: "date" });
const invoice = scopeOf(
  { count: "number", price: "number", due: "date", status: "text", open: "boolean" },
  {
    referred: (name) => (name === "customer" ? { scope: scopeOf({ name: "text" }), by: "customer_id" } : undefined),
    belonging: (name) => (name === "line" ? { scope: line, by: "invoice_id" } : undefined),
  },
);

test.for([
  ["count * price + 1", "number", ["+", ["*", ["field", "count"], ["field", "price"]], ["value", 1]]],
  ["1 - 2 - 3", "number", ["-", ["-", ["value", 1], ["value", 2]], ["value", 3]]],
  ["-(count)", "number", ["-", ["value", 0], ["field", "count"]]],
  ["due + 14", "date", ["+", ["field", "due"], ["value", 14]]],
  ["today - due", "number", ["-", ["today"], ["field", "due"]]],
  ["due >= '2026-01-01'", "boolean", [">=", ["field", "due"], ["value", "2026-01-01"]]],
  [
    "status == 'paid' or not open",
    "boolean",
    ["or", ["=", ["field", "status"], ["value", "paid"]], ["not", ["field", "open"]]],
  ],
  ["due is not empty", "boolean", ["not", ["empty", ["field", "due"]]]],
  [
    "customer.name + ' owes ' + count",
    "text",
    ["+", ["+", ["of", "customer_id", "name"], ["value", " owes "]], ["field", "count"]],
  ],
  ["sum(line.amount where not paid)", "number", ["sum", "line", "invoice_id", "amount", ["not", ["field", "paid"]]]],
  ["max(line.day)", "date", ["max", "line", "invoice_id", "day", null]],
  ["streak(line.day)", "number", ["streak", "line", "invoice_id", "day", null]],
  [
    "if(open, round(price, 2), 0)",
    "number",
    ["if", ["field", "open"], ["round", ["field", "price"], ["value", 2]], ["value", 0]],
  ],
] as const)("%s is read", ([text, type, formula]) => {
  expect(readFormula(text, invoice)).toEqual({ formula, type });
});

test.for([
  ["count *", /ends too early/],
  ["", /expression is empty/],
  ["count price", /'price' is not expected/],
  ["(count", /ends too early/],
  ["count * colour", /no field 'colour'/],
  ["count * status", /text stands where a number/],
  ["open < count", /boolean cannot be compared with a number/],
  ["supplier.name", /'supplier' is no reference/],
  ["sum(payment.amount)", /No 'payment' refers to this/],
  ["sum(line.paid)", /'sum' needs a field of numbers/],
  ["streak(line.amount)", /needs a field of dates/],
  ["count(line where amount)", /number stands where a boolean/],
  ["process.exit(1)", /'\(' is not expected at character 13/],
  ["constructor", /no field 'constructor'/],
  ["eval('1')", /There is no 'eval' here/],
  ["count; 1", /';' is not expected/],
  ["if(open, 1, 'a')", /two types/],
  [`${"(".repeat(300)}1`, /nested too deeply/],
  ["1 + ".repeat(400), /longer than 1000 characters/],
  ["due > now", /write 'today'/],
  ["rates['eur']", /no tables here/],
  ["length(count)", /number stands where a text/],
] as const)("%s is refused with the reason", ([text, reason]) => {
  expect(readFormula(text, invoice)).toEqual({ problem: expect.stringMatching(reason) });
});

const [signs, names] = [
  ["(", ")", "and", "or", "not", "<", "=", "-", "*", "is", "empty", "where", "[", ".", ","],
  ["count", "open", "line", "sum", "1", "'x'", "now", "ü", "\u0000"],
];

test.for([
  "count(split(replace(repeat('a', 100000), 'a', repeat('ab', 2400)), 'b'))",
  "length(join(split(repeat('a', 100000), ''), repeat('b', 5000)))",
])("what would take all memory to work out is not worked out: %s", (written) => {
  const expression = readComputation(written, new Map());
  expect(() => evaluateExpression(expression, {})).toThrow("too large");
});

test("what a document has worked out is bounded as a whole", () => {
  const expression = readComputation("length(reverse(repeat('a', 100000)))", new Map());
  const all = () => Array.from({ length: 1_000 }, () => evaluateExpression(expression, {}));
  expect(() => withSteps(all)).toThrow("the document takes too long");
});

test("any text is read or refused with a reason", () => {
  const parts = fc.array(fc.constantFrom(...signs, ...names)).map((all) => all.join(" "));
  fc.assert(
    fc.property(fc.oneof(fc.string(), parts), (text) => {
      const read = readFormula(text, invoice);
      expect(read.problem ?? read.type).not.toBe("");
    }),
  );
});

/** A program of a result, which has no types. */
function program(path: string): Promise<Record<string, (...given: readonly unknown[]) => unknown>> {
  return import(new URL(path, import.meta.url).href);
}

describe("one language", () => {
  const values = { a: 7, b: -2, done: true, word: "Tea" };
  const types = { a: "number", b: "number", done: "boolean", word: "text" } as const;
  const scope = new Map([
    ["a", number],
    ["b", number],
    ["done", boolean],
    ["word", textType],
  ]);

  const cases = [
    ["a == 7", true],
    ["a = 7", true],
    ["not a != 7 and done", true],
    ["a % b == -1", true],
    ["-a % 4 == 1", true],
    ["a ^ 2 - 1 >= 48", true],
    ["a - b - 1 == 8", true],
    ["word is not empty and word is empty", false],
    ["length(word) + max(a, b) == 10", true],
    ["round(a / 2) == 4 and floor(a / 2) == 3 and abs(b) == 2", true],
    ["starts_with(lower(word), 'te') or contains(word, 'x')", true],
    ["if(done, word, 'none') == \"Tea\"", true],
    ["year('2030-02-28') == 2030 and weekday('2030-03-03') == 7", true],
    ["add_days('2030-02-28', 1) == '2030-03-01' and days_between('2030-02-28', '2030-03-01') == 1", true],
    ["today == today() and word + 1 == 'Tea1'", true],
  ] as const;

  test.for(cases)("%s is the same in a command, an app and a service", async ([text, expected]) => {
    expect(evaluateExpression(readComputation(text, scope), values)).toBe(expected);
    const read = readFormula(text, scopeOf(types));
    expect(read.problem).toBeUndefined();
    const { figure } = await program("../src/kit/files/records/compute.js");
    const filled = JSON.parse(JSON.stringify(read), (_, part) =>
      Array.isArray(part) && part[0] === "field" ? ["value", values[part[1] as keyof typeof values]] : part,
    );
    expect(figure!(filled.formula, { model: { entities: [] }, today: "2030-01-01", all: () => [] })).toBe(expected);
    const { evaluate } = await program("../src/types/api/files/node/src/expressions.js");
    expect(evaluate!(readCondition(text, scopeOf(types)), values, () => undefined)).toBe(expected);
  });

  test("all of them are the same in a service in Python", async () => {
    const given = JSON.stringify([values, cases.map(([text]) => readCondition(text, scopeOf(types)))]);
    const source =
      "import json, sys; from service.expressions import evaluate; values, all = json.loads(sys.argv[1]); print(json.dumps([evaluate(one, values, None) for one in all]))";
    const cwd = fileURLToPath(new URL("../src/types/api/files/python/", import.meta.url));
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
    const { stdout } = await promisify(execFile)("python3", ["-c", source, given], { cwd, env });
    expect(JSON.parse(stdout)).toEqual(cases.map(([, expected]) => expected));
  });

  test.for(["a >", "a b", "a > d", "a ; 1", "(a > b", "a > 'x'", ""])(
    "%s is refused everywhere, for one reason",
    (text) => {
      const read = readFormula(text, scopeOf(types));
      expect(read.problem).toBeTypeOf("string");
      expect(readCondition(text, scopeOf(types))).toBe(read.problem);
      expect(() => readComputation(text, scope)).toThrow();
    },
  );
});
