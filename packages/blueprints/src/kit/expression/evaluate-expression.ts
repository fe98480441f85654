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
      const given = expression.given.map(evaluate);
      if (expression.helper !== undefined) return calculations()[expression.helper]!(...given);
      return operators[expression.operation]!(...(given as never[]));
    }
  }
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
  if: (when: boolean, then: unknown, otherwise: unknown) => (when ? then : otherwise),
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
  const program = `(() => {\n${source.replace(/^export /gm, "")}\nreturn { ${names.join(", ")} };\n})()`;
  return runInContext(program, createContext(Object.create(null))) as Helpers;
}
