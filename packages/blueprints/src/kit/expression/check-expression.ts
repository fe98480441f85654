import { operations } from "./operations.ts";
import { ExpressionProblem, parseExpression, type Written } from "./parse-expression.ts";
import {
  boolean,
  describeType,
  isSameType,
  number as numberType,
  text as textType,
  type ValueType,
} from "./value-type.ts";

/** An expression that can be worked out: every part has a type. */
export type Expression =
  | { readonly is: "value"; readonly value: number | string | boolean; readonly type: ValueType }
  | { readonly is: "name"; readonly name: string; readonly type: ValueType }
  | { readonly is: "member"; readonly of: Expression; readonly name: string; readonly type: ValueType }
  | { readonly is: "item"; readonly of: Expression; readonly key: Expression; readonly type: ValueType }
  | {
      readonly is: "call";
      readonly operation: string;
      readonly helper?: string;
      readonly given: readonly Expression[];
      readonly type: ValueType;
    };

/** The names that an expression may use. */
export type Scope = ReadonlyMap<string, ValueType>;

/** Reads an expression whose names are these; its type must be one of those wanted. Throws an ExpressionProblem. */
export function readExpression(
  text: string,
  scope: Scope,
  wanted: readonly ValueType["is"][] = ["number", "text", "boolean", "date"],
): Expression {
  const found = check(parseExpression(text), scope);
  if (wanted.includes(found.type.is)) return found;
  throw new ExpressionProblem(`The expression gives a ${describeType(found.type)}, not a ${wanted.join(" or ")}.`);
}

/** The names that an expression uses. */
export function namesIn(expression: Expression): readonly string[] {
  switch (expression.is) {
    case "value":
      return [];
    case "name":
      return [expression.name];
    case "member":
      return namesIn(expression.of);
    case "item":
      return [...namesIn(expression.of), ...namesIn(expression.key)];
    case "call":
      return expression.given.flatMap(namesIn);
  }
}

function check(written: Written, scope: Scope): Expression {
  switch (written.is) {
    case "value":
      return { ...written, type: typeOfValue(written.value) };
    case "name": {
      const type = scope.get(written.name);
      if (type === undefined && written.name === "today") return call("today", []);
      if (type === undefined) throw unknownName(written.name, scope);
      return { is: "name", name: written.name, type };
    }
    case "member":
      return memberOf(check(written.of, scope), written.name);
    case "item":
      return itemOf(check(written.of, scope), check(written.key, scope));
    case "call": {
      if (written.where !== undefined)
        throw new ExpressionProblem("'where' goes over the records that an app keeps, and there are none here.");
      const given = written.given.map((each) => check(each, scope));
      return written.name === "empty" ? emptiness(given) : call(written.name, given);
    }
  }
}

/** What was left out is an empty text here. */
function emptiness(given: readonly Expression[]): Expression {
  const [of] = given;
  if (of === undefined || given.length > 1 || !["text", "date"].includes(of.type.is))
    throw new ExpressionProblem("Only a text or a date can be empty here.");
  return call("==", [of, { is: "value", value: "", type: of.type }]);
}

function typeOfValue(value: number | string | boolean): ValueType {
  if (typeof value === "number") return numberType;
  return typeof value === "string" ? textType : boolean;
}

function memberOf(of: Expression, name: string): Expression {
  if (of.type.is !== "map") throw new ExpressionProblem(`A ${describeType(of.type)} has no '${name}'.`);
  const type = of.type.columns.get(name);
  if (type === undefined) throw new ExpressionProblem(`Not every row has '${name}': give it to those that lack it.`);
  return { is: "member", of, name, type };
}

function itemOf(of: Expression, key: Expression): Expression {
  if (of.type.is !== "map") throw new ExpressionProblem(`Nothing can be looked up in a ${describeType(of.type)}.`);
  if (key.type.is !== "text") throw new ExpressionProblem("What is looked up in a table must be a text.");
  if (of.type.each === undefined)
    throw new ExpressionProblem("The rows of the table differ: all must be numbers, texts, or maps of them.");
  return { is: "item", of, key, type: of.type.each };
}

function call(name: string, given: readonly Expression[]): Expression {
  const ways = operations.get(name);
  if (ways === undefined) throw new ExpressionProblem(`There is no function '${name}'. There are ${functionNames()}.`);
  const compared = dateComparison(name, given);
  if (compared !== undefined) return compared;
  const wanted = name === "+" && given.some(({ type }) => type.is === "text") ? given.map(asText) : given;
  const fits = (takes: readonly ValueType[]) =>
    takes.length === wanted.length && takes.every((type, place) => isTaken(wanted[place]!, type));
  const way = ways.find(({ takes }) => fits(takes));
  if (way === undefined) {
    const types = given.map(({ type }) => describeType(type)).join(", ");
    throw new ExpressionProblem(`'${name}' does not take ${types === "" ? "nothing" : `(${types})`}.`);
  }
  return {
    is: "call",
    operation: name,
    ...(way.helper !== undefined && { helper: way.helper }),
    given: wanted,
    type: way.gives,
  };
}

/** A date may be written as a text in an expression. */
function isTaken({ is, type, ...rest }: Expression, wanted: ValueType): boolean {
  if (isSameType(type, wanted)) return true;
  const isDay = is === "value" && "value" in rest && /^\d{4}-\d\d-\d\d$/.test(String(rest.value));
  return wanted.is === "date" && isDay;
}

/** An order of dates is asked of a function: one that is missing is neither before nor after another. */
function dateComparison(sign: string, given: readonly Expression[]): Expression | undefined {
  const [left, right] = given;
  if (left === undefined || right === undefined || !given.some(({ type }) => type.is === "date")) return undefined;
  switch (sign) {
    case "<":
      return call("is_before", [left, right]);
    case ">":
      return call("is_after", [left, right]);
    case "<=":
      return call("or", [call("is_before", [left, right]), call("==", [left, right])]);
    case ">=":
      return call("or", [call("is_after", [left, right]), call("==", [left, right])]);
    default:
      return undefined;
  }
}

function asText(expression: Expression): Expression {
  return ["number", "date"].includes(expression.type.is) ? call("text", [expression]) : expression;
}

function unknownName(name: string, scope: Scope): ExpressionProblem {
  return new ExpressionProblem(`'${name}' is not known here. Known are ${[...scope.keys()].join(", ") || "no names"}.`);
}

function functionNames(): string {
  return [...operations.keys()]
    .filter((name) => /^[a-z]/.test(name) && !["and", "or", "not"].includes(name))
    .join(", ");
}
