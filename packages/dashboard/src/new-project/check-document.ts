import {
  type Diagnostic,
  explainKey,
  firstDocument,
  firstLanguages,
  type KeyExplanation,
  parseSpec,
} from "@slipway/spec";
import { keyPathAt } from "./key-path.ts";

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
  const { path } = keyPathAt(text, offset);
  if (path === "") return undefined;
  const type = /^outcome_type: *(\S+)/m.exec(text)?.[1] ?? "";
  const { found } = explainKey(path);
  const key = found.find(({ outcomeTypes }) => outcomeTypes.includes(type)) ?? found[0];
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1);
  return key === undefined ? undefined : { ...key, indent: line.search(/[^\s-]|$/) + 2 };
}
