import { createContext, runInContext } from "node:vm";
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
  if (helper !== undefined) return calculations()[helper]!(...given);
  return operators[operation]!(...(given as never[]));
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
