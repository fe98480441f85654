import type { CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../plugin.ts";
import { pointerPart } from "./pointer.ts";

const usual: Readonly<Record<string, RegExp>> = {
  language: /^(?:javascript|js|ecmascript)\b/i,
  runtime: /^node(?:\.?js)?\b/i,
};

/** What the stack names that is not what the result is made of. Keys and values that are known are given by the type. */
export function unknownStack(
  { stack }: Pick<CompleteSpec, "stack">,
  known: Readonly<Record<string, RegExp>> = {},
  writtenIn = "JavaScript",
): readonly Unmet[] {
  const all: Readonly<Record<string, RegExp>> = { ...usual, ...known };
  return Object.entries(stack).flatMap(([key, value]) => {
    const isKnown = typeof value === "string" && Object.hasOwn(all, key) && all[key]!.test(value.trim());
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    const instead = key === "language" ? ` It is written in ${writtenIn}.` : "";
    return isKnown
      ? []
      : [
          {
            pointer: `/stack/${pointerPart(key)}`,
            reason: `${shown} is not used.${instead}`,
          },
        ];
  });
}
