import fc from "fast-check";
import { expect, test } from "vitest";
import { type Expression, readExpression } from "../src/types/api/read-expression.ts";

const find = (name: string) => (/^[a-c]$/.test(name) ? { field: name } : `There is no field '${name}'.`);
const read = (text: string) => readExpression(text, find);

/** The expression again, with brackets around each part. */
function written(expression: Expression | string): string {
  if (typeof expression === "string") return expression;
  if ("field" in expression) return expression.field;
  if ("clock" in expression) return expression.clock;
  if ("value" in expression) return JSON.stringify(expression.value);
  if (expression.op === "not") return `(not ${written(expression.right)})`;
  return `(${written(expression.left)} ${expression.op} ${written(expression.right)})`;
}

test.each([
  ["a > b", "(a > b)"],
  ["a + b * 2 <= c", "((a + (b * 2)) <= c)"],
  ["a - b - c == 0", "(((a - b) - c) == 0)"],
  ["not a == 1 and b = 'x' or c != now", '(((not (a == 1)) and (b == "x")) or (c != now))'],
  ["(a or b) and -c < today", "((a or b) and ((0 - c) < today))"],
  ['a == "it\'s" and b != true', '((a == "it\'s") and (b != true))'],
  ["a >", "Something is missing at its end."],
  ["(a > b", "A ')' is missing."],
  ["a b", "'b' is not expected there."],
  ["a > d", "There is no field 'd'."],
  ["a > ;", "';' cannot be read."],
  ["", "It is empty."],
])("%s is read as %s", (text, meant) => {
  expect(written(read(text))).toBe(meant);
});

test("any text is read or refused with a reason, however deep it is", () => {
  const part = fc.constantFrom(
    "a",
    "b",
    "(",
    ")",
    "and",
    "or",
    "not",
    "<",
    "=",
    "-",
    "*",
    "1",
    "'x'",
    "now",
    " ",
    "ü",
    "\u0000",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part).map((parts) => parts.join(" ")),
      ),
      (text) => {
        const found = read(text);
        expect(typeof found === "string" ? found : written(found)).not.toBe("");
      },
    ),
  );
  expect(read(`${"(".repeat(100)}a`)).toBe("It is nested too deeply.");
  expect(read(Array(1000).fill("a").join(" and "))).toBe("It is too long: split it into several.");
});
