import { type Formula, type FormulaScope, readFormula } from "../../kit/formula.ts";

/** An expression over the fields of a record, as data: the programs calculate it, and never run text. */
export type Expression =
  | { readonly op: string; readonly left: Expression; readonly right: Expression }
  | { readonly op: "not"; readonly right: Expression }
  | { readonly op: string; readonly given: readonly Expression[] }
  | { readonly field: string; readonly via?: string }
  | { readonly value: number | string | boolean | null }
  | { readonly clock: "now" | "today" };

/** Reads a condition over a record; a string is the reason why it cannot be read. */
export function readExpression(text: string, scope: FormulaScope): Expression | string {
  const read = readFormula(text, scope);
  if (read.problem !== undefined) return read.problem;
  if (read.type !== "boolean" && read.type !== "any") return `It is a ${read.type}, and neither true nor false.`;
  return expressionOf(read.formula);
}

const joints = ["and", "or", "<", "<=", ">", ">=", "=", "!=", "+", "-", "*", "/", "%", "power"];

function expressionOf([operation, ...rest]: Formula): Expression {
  const given = () => rest.map((part) => expressionOf(part as Formula));
  switch (operation) {
    case "value":
      return { value: rest[0] as number | string | boolean };
    case "field":
      return { field: rest[0] as string };
    case "of":
      return { field: rest[1] as string, via: rest[0] as string };
    case "today":
    case "now":
      return { clock: operation };
    case "not":
      return { op: "not", right: given()[0]! };
    case "empty":
      return { op: "==", left: given()[0]!, right: { value: null } };
    default: {
      if (!joints.includes(operation)) return { op: operation, given: given() };
      const [left, right] = given();
      return { op: operation === "=" ? "==" : operation, left: left!, right: right! };
    }
  }
}

/** The fields of the record that an expression names. */
export function fieldsIn(expression: Expression): readonly string[] {
  if ("field" in expression) return [expression.via ?? expression.field];
  if ("given" in expression) return expression.given.flatMap(fieldsIn);
  if (!("op" in expression)) return [];
  return [...("left" in expression ? fieldsIn(expression.left) : []), ...fieldsIn(expression.right)];
}
