import type { Expression } from "../../kit/expression/check-expression.ts";
import { evaluateExpression } from "../../kit/expression/evaluate-expression.ts";
import type { ValueType } from "../../kit/expression/value-type.ts";
import { helpersIn } from "../../kit/expression/write-expression.ts";
import { guardFor, valuesOf } from "./choose-function.ts";
import type { Designed, Example, Parameter } from "./read-design.ts";
import type { Guard } from "./read-guards.ts";
import { parameterScope } from "./value-types.ts";

/**
 * Calls of a function without examples, and what its expression gives for them: worked out here and not by the function,
 * so that a change of the function fails. None if no call gives a value.
 */
export function sampleCalls(designed: Designed, expression: Expression, guards: readonly Guard[]): readonly Example[] {
  // What depends on the day gives another result tomorrow.
  const helpers = [expression, ...guards.map(({ when }) => when)].flatMap(helpersIn);
  if (helpers.includes("today")) return [];
  const scope = parameterScope(designed);
  const lists = designed.parameters.map((parameter) => samplesOf(parameter, scope.get(parameter.name)));
  const calls = Array.from({ length: Math.max(1, ...lists.map((samples) => samples.length)) }, (_, round) =>
    lists.map((samples) => samples[round % Math.max(1, samples.length)]),
  );
  if (lists.some((samples) => samples.length === 0)) return [];
  const examples = calls.flatMap((args) => resultOf(designed, expression, guards, args));
  return examples.some(({ throws }) => throws === undefined) ? examples : [];
}

function resultOf(
  designed: Designed,
  expression: Expression,
  guards: readonly Guard[],
  args: readonly unknown[],
): readonly Example[] {
  const values = valuesOf(designed, { args });
  const refused = guardFor(values, guards);
  if (refused !== undefined) return [{ args, throws: refused }];
  try {
    const returns = evaluateExpression(expression, values);
    return isStable(returns) ? [{ args, returns }] : [];
  } catch {
    return [];
  }
}

/** What is written into a test as it is read there. */
function isStable(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isStable);
  return typeof value === "string" || typeof value === "boolean";
}

/** Values of a type that tell apart what is done with them; the last of a list is the one most often refused. */
function samplesOf({ type, minimum, maximum }: Parameter, found: ValueType | undefined): readonly unknown[] {
  switch (found?.is) {
    case "number": {
      const isWhole = /^int/i.test(type.trim());
      const within = (isWhole ? [3, 7, 2] : [3, 7.5, 2]).map((value) =>
        Math.min(maximum ?? value, Math.max(minimum ?? value, value)),
      );
      const outside = minimum !== undefined ? [minimum - 1] : maximum !== undefined ? [maximum + 1] : [0];
      return [...within, ...outside];
    }
    case "text":
      return ["Two words", "b", "2030-01-31", ""];
    case "boolean":
      return [true, false];
    case "list":
      return listSamples(found.of);
    default:
      return [];
  }
}

function listSamples(of: ValueType): readonly unknown[] {
  switch (of.is) {
    case "number":
      return [[4, 1, 7.5, 2], [3, 3, 9], [5], []];
    case "text":
      return [["pear", "Apple", "fig"], ["b", "b", "a"], ["one"], []];
    case "boolean":
      return [[true, false], [false], []];
    default:
      return [];
  }
}
