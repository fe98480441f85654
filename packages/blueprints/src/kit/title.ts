import type { CompleteSpec } from "@slipway/spec";

/** The title of the result: the document's name, or its id if the name is blank. */
export function titleOf({ name, id }: Pick<CompleteSpec, "name" | "id">): string {
  return name.trim() === "" ? id : name;
}
