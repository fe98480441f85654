import { expect, test } from "vitest";
import { type FormulaScope, readFormula, type ValueType } from "../src/kit/formula.ts";

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
  ["process.exit(1)", /'process' is no reference/],
  ["constructor", /no field 'constructor'/],
  ["eval('1')", /no 'eval' of 1 values/],
  ["count; 1", /';' is not expected/],
  ["if(open, 1, 'a')", /two types/],
  [`${"(".repeat(300)}1`, /at most 200 words/],
] as const)("%s is refused with the reason", ([text, reason]) => {
  expect(readFormula(text, invoice)).toEqual({ problem: expect.stringMatching(reason) });
});
