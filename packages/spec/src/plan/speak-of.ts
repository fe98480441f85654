import type { AcceptanceCheck } from "../acceptance/acceptance-checks.ts";
import { escapeKey } from "../resolve-spec.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { wordsOf } from "./serve-acceptance.ts";

/**
 * Words that a document says only at these pointers: a check that has one of them speaks of what stands there. What the
 * acceptance says does not count, for that is the check.
 */
export function wordsOnlyAt(document: CompleteSpec, pointers: readonly string[]): ReadonlySet<string> {
  const inside: string[] = [];
  const outside: string[] = [];
  const { acceptance: _, phases: __, ...rest } = document;
  collect(rest, "", new Set(pointers), false, { inside, outside });
  const elsewhere = wordsOf(outside);
  return new Set([...wordsOf(inside)].filter((word) => !elsewhere.has(word)));
}

/** The words of all texts of a check, and not of its keys. */
export function wordsSaidBy({ id: _, kind: __, ...said }: AcceptanceCheck): ReadonlySet<string> {
  const texts: string[] = [];
  collectTexts(said, texts);
  return wordsOf(texts);
}

interface Found {
  readonly inside: string[];
  readonly outside: string[];
}

function collect(value: unknown, pointer: string, at: ReadonlySet<string>, isInside: boolean, found: Found): void {
  const isHere = isInside || at.has(pointer);
  const to = isHere ? found.inside : found.outside;
  if (typeof value === "string") to.push(value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const below = `${pointer}/${escapeKey(key)}`;
    if (!Array.isArray(value)) (isHere || at.has(below) ? found.inside : found.outside).push(key);
    collect(item, below, at, isHere, found);
  }
}

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) collectTexts(item, texts);
}
