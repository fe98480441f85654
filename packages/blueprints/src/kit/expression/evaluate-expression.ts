import { createContext, runInContext } from "node:vm";
import { spendSteps } from "../document-steps.ts";
import { calculateInNode } from "./calculate-module.ts";
import type { Expression } from "./check-expression.ts";
import { operations } from "./operations.ts";

type Helpers = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** What an expression gives for these values of its names. Throws if it cannot be worked out. */
export function evaluateExpression(expression: Expression, values: Readonly<Record<string, unknown>>): unknown {
  const evaluate = (part: Expression) => evaluateExpression(part, values);
  switch (expression.is) {
    case "value":
      return expression.value;
    case "name":
      return values[expression.name];
    case "member":
      return (evaluate(expression.of) as Readonly<Record<string, unknown>>)[expression.name];
    case "item":
      return calculations()["find"]!(evaluate(expression.of), evaluate(expression.key), "");
    case "call": {
      // Only the part that is chosen is worked out.
      if (expression.operation === "if")
        return evaluate(expression.given[evaluate(expression.given[0]!) === true ? 1 : 2]!);
      return applyOperation(expression, expression.given.map(evaluate));
    }
  }
}

/** What an operation gives for these values. */
export function applyOperation(
  { operation, helper }: { readonly operation: string; readonly helper?: string },
  given: readonly unknown[],
): unknown {
  const size = sizeOf(given);
  const grown = growth(operation, given);
  if (size + grown > maxSize) throw new RangeError("the values are too large to calculate with");
  // A usual document has only small ones, of which it may work out any number.
  if (size + grown > smallSize) spendSteps(Math.ceil((size + grown) / sizeOfStep));
  if (helper !== undefined) return calculations()[helper]!(...given);
  return operators[operation]!(...(given as never[]));
}

/** Letters and items of all values together: what is larger would take the service's memory. */
const maxSize = 1_000_000;
const smallSize = 1_000;
const sizeOfStep = 20;

function sizeOf(values: readonly unknown[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === "string") size += value.length;
    else if (Array.isArray(value)) {
      size += value.length;
      for (const item of value) if (typeof item === "string") size += item.length;
    }
  }
  return size;
}

/** How much larger than what it takes the result of an operation may be. */
function growth(operation: string, given: readonly unknown[]): number {
  if (operation === "replace") {
    const [text, part, other] = given as readonly [string, string, string];
    return part === "" ? 0 : (text.length / part.length) * other.length;
  }
  if (operation !== "join") return 0;
  const [texts, between] = given as readonly [readonly string[], string];
  return texts.length * between.length;
}

const operators: Readonly<Record<string, (...given: never[]) => unknown>> = {
  "+": (a: number, b: number) => a + b,
  "-": (a: number, b: number) => a - b,
  "*": (a: number, b: number) => a * b,
  negative: (a: number) => -a,
  "==": (a: unknown, b: unknown) => a === b,
  "!=": (a: unknown, b: unknown) => a !== b,
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
  and: (a: boolean, b: boolean) => a && b,
  or: (a: boolean, b: boolean) => a || b,
  not: (a: boolean) => !a,
};

let known: Helpers | undefined;

/** The functions of the template that results get: what is expected of a result is worked out by the same. */
export function calculations(): Helpers {
  known ??= loadCalculations();
  return known;
}

function loadCalculations(): Helpers {
  const all = [...operations.values()].flatMap((ways) => ways.flatMap(({ helper }) => helper ?? []));
  const { source, names } = calculateInNode([...all, "find", "fixed", "finite", "withoutNoise"]);
  // Nobody looks at where a calculation failed, and a trace takes longer than the calculation.
  const program = `(() => {\nError.stackTraceLimit = 0;\n${source.replace(/^export /gm, "")}\nreturn { ${names.join(", ")} };\n})()`;
  return runInContext(program, createContext(Object.create(null))) as Helpers;
}
