import { type Expression, readExpression, type Scope } from "../../kit/expression/check-expression.ts";
import { ExpressionProblem } from "../../kit/expression/parse-expression.ts";
import { boolean, date, listOf, number, text, typeOfData, type ValueType } from "../../kit/expression/value-type.ts";
import type { Field, Tables } from "./model.ts";

/** What expressions may name: these values, and the tables. */
export function scopeOf(fields: readonly Field[], tables: Tables): Scope {
  const values = fields.map((field) => [wordFor(field.name), typeOf(field)] as const);
  const known = Object.entries(tables).map(([name, rows]) => [name, typeOfTable(rows)] as const);
  return new Map([...known, ...values]);
}

const typesOfTables = new WeakMap<object, ValueType>();

/** Found once for a table: every expression asks. */
function typeOfTable(rows: object): ValueType {
  const type = typesOfTables.get(rows) ?? typeOfData(rows)!;
  typesOfTables.set(rows, type);
  return type;
}

/** How an expression calls a value: options may have hyphens, names in expressions not. */
export function wordFor(name: string): string {
  return name.replaceAll("-", "_");
}

/** Reads an expression, or says why that is not possible. */
export function readScoped(
  written: string,
  scope: Scope,
  wanted: readonly ValueType["is"][],
  refuse: (reason: string) => void,
): Expression | undefined {
  try {
    return readExpression(written, scope, wanted);
  } catch (problem) {
    if (!(problem instanceof ExpressionProblem)) throw problem;
    refuse(problem.message);
    return undefined;
  }
}

function typeOf({ type, multiple }: Field): ValueType {
  const one = plainType(type);
  return multiple === true ? listOf(one) : one;
}

function plainType(type: string): ValueType {
  switch (type) {
    case "integer":
    case "number":
    case "decimal":
      return number;
    case "boolean":
      return boolean;
    case "date":
    case "datetime":
      return date;
    default:
      return text;
  }
}
