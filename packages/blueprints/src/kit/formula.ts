import { ExpressionProblem, parseExpression, type Written } from "./expression/parse-expression.ts";
import { formulaFunctions } from "./formula-functions.ts";

/**
 * An expression over the fields of a record, such as `quantity * price` or `sum(line.amount)`. It becomes plain data: an
 * operation with its arguments, which the generated program evaluates. Nothing that a document says becomes code.
 */
export type Formula = readonly [operation: string, ...rest: readonly unknown[]];

/** A moment is a day with a time; `any` is what nobody knows before the program runs. */
export type ValueType = "number" | "text" | "boolean" | "date" | "moment" | "any";

/** The names that an expression may use: those of a record, of what it refers to, and of what belongs to it. */
export interface FormulaScope {
  /** The type of a field or of another formula of the record; undefined if there is none of this name. */
  typeOf(name: string): ValueType | undefined;
  /** The names of the record that a reference leads to, and its field; `room` is also `room_id`. */
  referred(name: string): { readonly scope: FormulaScope; readonly by: string } | undefined;
  /** The names of the records that refer to this one, and the reference by which they do; null: all records count. */
  belonging(entity: string): { readonly scope: FormulaScope; readonly by: string | null } | undefined;
  /** Why there is no field of this name, where more is known than that. */
  readonly whyUnknown?: (name: string) => string;
  /** The program knows the time of day, so that there is `now`. */
  readonly hasMoments?: boolean;
}

export type ReadFormula =
  | { readonly formula: Formula; readonly type: ValueType; readonly problem?: undefined }
  | { readonly problem: string };

/** Reads an expression over a record, and says what is wrong with it: a sign, a name, or types that do not fit. */
export function readFormula(text: string, scope: FormulaScope): ReadFormula {
  try {
    return typed(parseExpression(text), scope);
  } catch (error) {
    if (error instanceof ExpressionProblem) return { problem: error.message };
    throw error;
  }
}

interface Typed {
  readonly formula: Formula;
  readonly type: ValueType;
}

function typed(written: Written, scope: FormulaScope): Typed {
  switch (written.is) {
    case "value":
      return { formula: ["value", written.value], type: typeOfValue(written.value) };
    case "name":
      return named(written.name, scope);
    case "member":
      return member(written, scope);
    case "item":
      throw new ExpressionProblem("There are no tables here to look something up in.");
    case "call":
      return called(written, scope);
  }
}

function typeOfValue(value: number | string | boolean): ValueType {
  if (typeof value === "number") return "number";
  return typeof value === "string" ? "text" : "boolean";
}

function named(name: string, scope: FormulaScope): Typed {
  const type = scope.typeOf(name);
  if (type !== undefined) return { formula: ["field", name], type };
  if (name === "today") return { formula: ["today"], type: "date" };
  if (name === "now" && scope.hasMoments === true) return { formula: ["now"], type: "moment" };
  if (name === "now") throw new ExpressionProblem("Only days are known here: write 'today'.");
  throw unknownField(name, scope);
}

function member({ of, name }: Extract<Written, { is: "member" }>, scope: FormulaScope): Typed {
  if (of.is !== "name") throw new ExpressionProblem(`'.${name}' must stand after the name of a reference.`);
  const referred = scope.referred(of.name);
  if (referred === undefined) throw new ExpressionProblem(`'${of.name}' is no reference.`);
  const type = referred.scope.typeOf(name);
  if (type === undefined) throw unknownField(name, referred.scope);
  return { formula: ["of", referred.by, name], type };
}

function unknownField(name: string, { whyUnknown }: FormulaScope): ExpressionProblem {
  return new ExpressionProblem(whyUnknown?.(name) ?? `There is no field '${name}', or it follows from this one.`);
}

type Call = Extract<Written, { is: "call" }>;

const aggregates = ["sum", "average", "mean", "min", "max", "count", "streak"];

function called(call: Call, scope: FormulaScope): Typed {
  const { name, given, where } = call;
  const isOverRecords = given.length === 1 && aggregates.includes(name);
  if (isOverRecords) return aggregate(call, scope);
  if (where !== undefined) throw new ExpressionProblem("'where' stands in sum(…), count(…) and their like.");
  const compared = comparisonWithNothing(call, scope);
  if (compared !== undefined) return compared;
  const parts = given.map((part) => typed(part, scope));
  const formulas = parts.map(({ formula }) => formula);
  const type = typeOfOperation(name, parts);
  if (type !== undefined) return { formula: [name === "==" ? "=" : name, ...formulas], type };
  if (name === "negative") return { formula: ["-", ["value", 0], ...formulas], type: demand(parts, "number") };
  if (name === "today" && parts.length === 0) return { formula: ["today"], type: "date" };
  return functionOf(name, parts);
}

/** `due == empty` is `due is empty`. */
function comparisonWithNothing({ name, given, at }: Call, scope: FormulaScope): Typed | undefined {
  if (name !== "==" && name !== "!=") return undefined;
  const isNothing = (part: Written) =>
    part.is === "name" && ["empty", "null"].includes(part.name) && scope.typeOf(part.name) === undefined;
  const others = given.filter((part) => !isNothing(part));
  if (others.length !== 1) return undefined;
  const empty: Call = { is: "call", name: "empty", given: others, at };
  return called(name === "==" ? empty : { is: "call", name: "not", given: [empty], at }, scope);
}

/** What an operator gives; undefined if this is none. */
function typeOfOperation(name: string, parts: readonly Typed[]): ValueType | undefined {
  switch (name) {
    case "and":
    case "or":
    case "not":
      return demand(parts, "boolean");
    case "empty":
      return "boolean";
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(parts as [Typed, Typed]);
    case "+":
    case "-":
      return sumType(name, parts as [Typed, Typed]);
    case "*":
    case "/":
    case "%":
    case "power":
      return demand(parts, "number");
    default:
      return undefined;
  }
}

function comparison([left, right]: readonly [Typed, Typed]): ValueType {
  const types = [left.type, right.type];
  const isTime = types.some((type) => type === "date" || type === "moment") && [left, right].every(isTimeText);
  if (left.type !== right.type && !isTime && !types.includes("any"))
    throw new ExpressionProblem(`A ${left.type} cannot be compared with a ${right.type}.`);
  return "boolean";
}

/** A day may be written as text: `day >= '2026-01-01'`. */
function isTimeText({ type, formula: [operation, value] }: Typed): boolean {
  if (type === "date" || type === "moment") return true;
  return operation === "value" && /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/.test(String(value));
}

/** Days can be added to a date, and a date taken from another; `+` also joins texts. */
function sumType(sign: string, [left, right]: readonly [Typed, Typed]): ValueType {
  const isTime = ({ type }: Typed) => type === "date" || type === "moment";
  if (left.type === "date" && right.type === "number") return "date";
  if (sign === "-" && isTime(left) && isTime(right)) return "number";
  if (sign === "+" && (left.type === "text" || right.type === "text")) return "text";
  return demand([left, right], "number");
}

function functionOf(name: string, given: readonly Typed[]): Typed {
  const formulas = given.map((one) => one.formula);
  if (name === "if" && given.length === 3) {
    const [condition, yes, no] = given as [Typed, Typed, Typed];
    demand([condition], "boolean");
    if (yes.type !== no.type && ![yes.type, no.type].includes("any"))
      throw new ExpressionProblem("'if' gives values of two types.");
    return { formula: ["if", ...formulas], type: yes.type };
  }
  const known = formulaFunctions.get(name);
  if (known === undefined)
    throw new ExpressionProblem(
      `There is no '${name}' here: there are if, ${[...formulaFunctions.keys()].join(", ")}, and over records ${aggregates.join(", ")}.`,
    );
  const { takes, gives, optional = 0, as: operation = name } = known;
  if (given.length > takes.length || given.length < takes.length - optional)
    throw new ExpressionProblem(
      `'${name}' takes ${takes.length} ${takes.length === 1 ? "value" : "values"}, not ${given.length}.`,
    );
  for (const [place, part] of given.entries()) demand([part], takes[place]!);
  return { formula: [operation, ...formulas], type: gives };
}

/** `sum(line.amount where paid)`: over the records that refer to this one. */
function aggregate({ name, given, where }: Call, scope: FormulaScope): Typed {
  const [what] = given as readonly [Written];
  const of = what.is === "member" ? what.of : what;
  if (of.is !== "name") throw new ExpressionProblem(`'${name}' goes over records: ${name}(line.amount).`);
  const found = scope.belonging(of.name);
  if (found === undefined) throw new ExpressionProblem(`No '${of.name}' refers to this by exactly one field.`);
  const field = what.is === "member" ? what.name : null;
  const type = field === null ? undefined : found.scope.typeOf(field);
  if (field !== null && type === undefined) throw unknownField(field, found.scope);
  const condition = where === undefined ? undefined : typed(where, found.scope);
  if (condition !== undefined) demand([condition], "boolean");
  const isFitting =
    name === "count" ||
    type === (name === "streak" ? "date" : "number") ||
    (type === "date" && (name === "min" || name === "max"));
  if (!isFitting) throw new ExpressionProblem(`'${name}' needs a field of ${name === "streak" ? "dates" : "numbers"}.`);
  // People know both words for it.
  const operation = name === "mean" ? "average" : name;
  const formula: Formula = [operation, of.name, found.by, field, condition?.formula ?? null];
  return { formula, type: type === "date" && name !== "streak" && name !== "count" ? "date" : "number" };
}

function demand(parts: readonly Typed[], type: ValueType): ValueType {
  const other = parts.find(
    (part) => part.type !== type && part.type !== "any" && !(type === "date" && isTimeText(part)),
  );
  if (other !== undefined) throw new ExpressionProblem(`A ${other.type} stands where a ${type} is needed.`);
  return type;
}
