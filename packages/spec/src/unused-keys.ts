import { vocabularyOf } from "./outcome-types/index.ts";
import { isDocumentKey, shapeWith } from "./plugins.ts";
import { escapeKey } from "./resolve-spec.ts";
import type { CompleteSpec } from "./schema/document.ts";
import { unknownKeys } from "./schema/unknown-keys.ts";

/** Something that a document says and nobody uses. */
interface UnusedKey {
  /** JSON Pointer into the resolved document. */
  readonly pointer: string;
  readonly reason: string;
}

/**
 * The keys in the sections of every document that nobody uses, but for those already spoken of. Whoever builds the result
 * speaks of the type's own keys, and an unknown guardrail is a promised line that nobody can check.
 */
export function unusedKeys(
  document: CompleteSpec,
  said: readonly { readonly pointer: string }[],
): readonly UnusedKey[] {
  const vocabulary = vocabularyOf(document.outcome_type);
  // Environments other than this one are not of this run; what a plugin adds to services, only the plugin knows.
  const { guardrails: _, environments: __, services, ...sections } = document;
  const toCheck = { ...sections, ...(vocabulary !== undefined && { services }) };
  const pointers = unknownKeys(shapeWith(vocabulary), toCheck)
    .filter(({ place }) => place.length > 1 && isDocumentKey(String(place[0])))
    .map(({ place }) => place.map((key) => `/${escapeKey(String(key))}`).join(""));
  const known = new Set(said.map(({ pointer }) => pointer));
  return pointers
    .filter((pointer) => !isAtOrBelow(pointer, known))
    .map((pointer) => ({ pointer, reason: "This key is not used by anyone." }));
}

/** Whether it is one of these pointers, or leads through one. Looked up: both may be ten thousands. */
function isAtOrBelow(pointer: string, known: ReadonlySet<string>): boolean {
  for (let end = pointer.length; end >= 0; end = end === 0 ? -1 : Math.max(0, pointer.lastIndexOf("/", end - 1)))
    if (known.has(pointer.slice(0, end))) return true;
  return false;
}
