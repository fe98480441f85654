import type { AcceptanceCheck } from "../acceptance/acceptance-checks.ts";
import { escapeKey } from "../resolve-spec.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { wordsOf } from "./serve-acceptance.ts";

/**
 * Words that a document says in one of its parts only, each with that part: a check that has one of them speaks of what stands
 * there. What the acceptance says does not count, for that is the check.
 */
export function wordsOfOne<Part>(
  document: CompleteSpec,
  partAt: ReadonlyMap<string, Part>,
): ReadonlyMap<string, Part | undefined> {
  const { acceptance: _, phases: __, ...rest } = document;
  const texts = new Map<Part | undefined, string[]>();
  collect(rest, "", partAt.get(""), { partAt, texts });
  const partOf = new Map<string, Part | undefined>();
  for (const [part, said] of texts)
    for (const word of wordsOf(said)) partOf.set(word, partOf.has(word) ? undefined : part);
  return partOf;
}

/** The words of all texts of a check, and not of its keys. */
export function wordsSaidBy({ id: _, kind: __, ...said }: AcceptanceCheck): ReadonlySet<string> {
  const texts: string[] = [];
  collectTexts(said, texts);
  return wordsOf(texts);
}

interface Found<Part> {
  readonly partAt: ReadonlyMap<string, Part>;
  /** By the part that they stand in, or none. */
  readonly texts: Map<Part | undefined, string[]>;
}

/** All parts in one walk: there may be many, in a large document. */
function collect<Part>(value: unknown, pointer: string, part: Part | undefined, found: Found<Part>): void {
  if (typeof value === "string") addTo(found, part, value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const below = `${pointer}/${escapeKey(key)}`;
    const own = found.partAt.get(below) ?? part;
    if (!Array.isArray(value)) addTo(found, own, key);
    collect(item, below, own, found);
  }
}

function addTo<Part>({ texts }: Found<Part>, part: Part | undefined, text: string): void {
  const known = texts.get(part);
  if (known === undefined) texts.set(part, [text]);
  else known.push(text);
}

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) collectTexts(item, texts);
}
