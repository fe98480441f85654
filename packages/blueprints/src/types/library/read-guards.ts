import { type Expression, readExpression } from "../../kit/expression/check-expression.ts";
import { ExpressionProblem } from "../../kit/expression/parse-expression.ts";
import type { Unmet } from "../../plugin.ts";
import type { Designed } from "./read-design.ts";
import { parameterScope } from "./value-types.ts";

/** When a function throws, and what. */
export interface Guard {
  readonly error: string;
  readonly when: Expression;
  readonly message: string;
}

/** The errors of the document that any language has. */
const errors = new Set(["Error", "RangeError", "TypeError"]);

/** The errors of `throws`; limits of parameters are guards too. */
export function readGuards(designed: Designed): {
  readonly guards: readonly Guard[];
  readonly unmet: readonly Unmet[];
} {
  const scope = parameterScope(designed);
  const unmet: Unmet[] = [];
  const read = (text: string, pointer: string, advice: string): Expression | undefined => {
    try {
      return readExpression(text, scope, ["boolean"]);
    } catch (problem) {
      if (!(problem instanceof ExpressionProblem)) throw problem;
      unmet.push({ pointer, reason: `${advice} ${problem.message}` });
      return undefined;
    }
  };
  const guards = designed.throws.flatMap(({ error, when, message }, index): Guard[] => {
    const pointer = `${designed.pointer}/throws/${index}`;
    if (!errors.has(error)) {
      unmet.push({ pointer, reason: `${error} is not known: use ${[...errors].join(", ")}.` });
      return [];
    }
    const expression = read(when, pointer, "Write when as an expression, such as 'size < 1'.");
    return expression === undefined ? [] : [{ error, when: expression, message: message ?? `${when} is not allowed` }];
  });
  const limits = designed.parameters.flatMap(({ name, minimum, maximum }, index): Guard[] => {
    const pointer = `${designed.pointer}/parameters/${index}`;
    if (scope.get(name)?.is !== "number") {
      if (minimum !== undefined || maximum !== undefined)
        unmet.push({ pointer, reason: "Only a parameter of the type number has limits." });
      return [];
    }
    const limit = (value: number | undefined, sign: string, words: string): Guard[] => {
      if (value === undefined) return [];
      const advice = "A parameter with limits needs a name that expressions can use.";
      const when = read(`not (${name} ${sign} ${value})`, pointer, advice);
      return when === undefined ? [] : [{ error: "RangeError", when, message: `${name} must be ${words} ${value}` }];
    };
    return [...limit(minimum, ">=", "at least"), ...limit(maximum, "<=", "at most")];
  });
  return { guards: [...limits, ...guards], unmet };
}
