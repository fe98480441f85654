import {
  type Diagnostic,
  explainKey,
  firstDocument,
  firstLanguages,
  type KeyExplanation,
  keysOfDocument,
  outcomeTypes,
  parseSpec,
} from "@slipway/spec";
import { keyPathAt, siblingKeys } from "./key-path.ts";

export type { Diagnostic };

/** The documents to start from, by outcome type. */
export const exampleTypes = Object.keys(firstLanguages) as (keyof typeof firstLanguages)[];

export function exampleOf(type: (typeof exampleTypes)[number]): string {
  return firstDocument({ type, id: `my-${type}`, name: `My ${type}` });
}

/** What is wrong with a document: the same code that the service runs. */
export function checkDocument(text: string): readonly Diagnostic[] {
  return parseSpec(text).diagnostics;
}

/** What the reference says of the key at a place in a document, and how far keys below it are indented. */
export function explainAt(text: string, offset: number): (KeyExplanation & { readonly indent: number }) | undefined {
  const { path, indent } = keyPathAt(text, offset);
  const key = explainPath(text, path);
  return key === undefined ? undefined : { ...key, indent: indent + 2 };
}

/** A word that may stand at a place of a document. */
export interface Proposal {
  readonly word: string;
  readonly about: string;
  readonly kind: "key" | "value";
}

/** What may stand at a place: the keys that its mapping lacks, or the words that its key may be. */
export function proposeAt(text: string, offset: number): readonly Proposal[] {
  const { path, parent, isOnKey } = keyPathAt(text, offset);
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  if (isOnKey && /:\s/.test(before)) return valuesOf(text, path);
  const keys = parent === "" ? keysOfDocument(typeOf(text)) : (explainPath(text, parent)?.keys ?? []);
  const written = siblingKeys(text, offset);
  return keys
    .filter(({ key }) => !written.has(key))
    .map(({ key, description }) => ({ word: key, about: description, kind: "key" }));
}

function valuesOf(text: string, path: string): readonly Proposal[] {
  if (path === "outcome_type")
    return Object.entries(outcomeTypes).map(([word, about]) => ({ word, about, kind: "value" }));
  const { words = [] } = explainPath(text, path) ?? {};
  return words.map(({ word, meaning }) => ({ word, about: meaning, kind: "value" }));
}

/** Of several keys at a path, the one that the document's outcome type has. */
function explainPath(text: string, path: string): KeyExplanation | undefined {
  if (path === "") return undefined;
  const { found } = explainKey(path);
  const atPath = found.filter(
    ({ path: at }) => at.replaceAll(/\[\]|\.<\w+>/g, "").split(".")[0] === path.split(".")[0],
  );
  return atPath.find(({ outcomeTypes: types }) => types.includes(typeOf(text))) ?? atPath[0];
}

function typeOf(text: string): string {
  return /^outcome_type: *(\S+)/m.exec(text)?.[1] ?? "";
}
