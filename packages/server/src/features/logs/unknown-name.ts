import { Refusal } from "../../platform/errors/index.ts";

/** The refusal of a name that no part of a log has. */
export function unknownName(name: string, known: readonly string[]): Refusal {
  return new Refusal("invalid_parameter", `This log has no service '${name}'. It has: ${known.join(", ")}.`);
}
