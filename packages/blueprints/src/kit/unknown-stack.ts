import type { CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../plugin.ts";
import { pointerPart } from "./pointer.ts";

const commonStack: Readonly<Record<string, RegExp>> = {
  language: /^(?:javascript|js|ecmascript)\b/i,
  runtime: /^node(?:\.?js)?\b/i,
};

/** Reports the entries of the stack that the result does not use. `known` adds a type's own keys and values. */
export function unknownStack(
  { stack }: Pick<CompleteSpec, "stack">,
  known: Readonly<Record<string, RegExp>> = {},
  writtenIn = "JavaScript",
): readonly Unmet[] {
  const all: Readonly<Record<string, RegExp>> = { ...commonStack, ...known };
  return Object.entries(stack).flatMap(([key, value]) => {
    const isKnown = typeof value === "string" && Object.hasOwn(all, key) && all[key]!.test(value.trim());
    const described = typeof value === "string" ? value : JSON.stringify(value);
    const instead = key === "language" ? ` It is written in ${writtenIn}.` : "";
    return isKnown
      ? []
      : [
          {
            pointer: `/stack/${pointerPart(key)}`,
            reason: `${described} is not used.${instead}`,
          },
        ];
  });
}
