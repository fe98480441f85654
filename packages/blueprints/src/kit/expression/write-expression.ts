import { js, py } from "../quote.ts";
import type { Expression } from "./check-expression.ts";

/** How a language writes the parts of an expression. */
interface Writer {
  readonly value: (value: unknown) => string;
  readonly helper: (name: string) => string;
  readonly member: (of: string, name: string) => string;
  readonly signs: Readonly<Record<string, string>>;
  readonly choice: (when: string, then: string, otherwise: string) => string;
}

/** Source of each name that an expression uses. */
export type Names = ReadonlyMap<string, string>;

/** The expression as JavaScript. Operations are functions of the module `calculate`, with a prefix if that is whole. */
export function expressionInNode(expression: Expression, names: Names, prefix = ""): string {
  return write(expression, names, { ...node, helper: (name) => `${prefix}${name}` });
}

/** The expression as Python. */
export function expressionInPython(expression: Expression, names: Names, prefix = ""): string {
  return write(expression, names, { ...python, helper: (name) => `${prefix}${snakeCase(name)}` });
}

/** The functions of `calculate.js` that an expression calls; Python's have the same names in snake case. */
export function helpersIn(expression: Expression): readonly string[] {
  switch (expression.is) {
    case "value":
    case "name":
      return [];
    case "member":
      return helpersIn(expression.of);
    case "item":
      return ["find", ...helpersIn(expression.of), ...helpersIn(expression.key)];
    case "call":
      return [...(expression.helper === undefined ? [] : [expression.helper]), ...expression.given.flatMap(helpersIn)];
  }
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const node: Omit<Writer, "helper"> = {
  value: js,
  member: (of, name) => `${of}.${name}`,
  signs: { "==": "===", "!=": "!==", and: "&&", or: "||", not: "!", negative: "-" },
  choice: (when, then, otherwise) => `(${when} ? ${then} : ${otherwise})`,
};

const python: Omit<Writer, "helper"> = {
  value: py,
  member: (of, name) => `${of}[${py(name)}]`,
  signs: { not: "not ", negative: "-" },
  choice: (when, then, otherwise) => `(${then} if ${when} else ${otherwise})`,
};

function write(expression: Expression, names: Names, writer: Writer, isInner = false): string {
  const find = (of: Expression, key: string) =>
    `${writer.helper("find")}(${write(of, names, writer)}, ${key}, ${writer.value(placeOf(of))})`;
  switch (expression.is) {
    case "value":
      return writer.value(expression.value);
    case "name":
      return names.get(expression.name)!;
    case "member":
      // Every row has it: that was checked.
      return writer.member(write(expression.of, names, writer), expression.name);
    case "item":
      return find(expression.of, write(expression.key, names, writer));
    case "call": {
      const { operation, helper, given } = expression;
      if (helper !== undefined)
        return `${writer.helper(helper)}(${given.map((each) => write(each, names, writer)).join(", ")})`;
      const parts = given.map((each) => write(each, names, writer, true));
      if (operation === "if") return writer.choice(parts[0]!, parts[1]!, parts[2]!);
      const sign = writer.signs[operation] ?? operation;
      const whole = parts.length === 1 ? `${sign}${parts[0]}` : parts.join(` ${sign} `);
      return isInner ? `(${whole})` : whole;
    }
  }
}

/** What a table is called in a message. */
function placeOf(of: Expression): string {
  if (of.is === "name") return of.name;
  if (of.is === "member") return `${placeOf(of.of)}.${of.name}`;
  return of.is === "item" ? placeOf(of.of) : "the table";
}
