import type { CompleteSpec } from "@slipway/spec";

/** What people call the result: the document's name, or its id where the name is blank. */
export function titleOf({ name, id }: Pick<CompleteSpec, "name" | "id">): string {
  return name.trim() === "" ? id : name;
}
