import { inTurns } from "./in-turns.ts";

/** For so few characters the engine's own search is linear. Of longer texts it knows the end only. */
const maxNative = 128;

/**
 * Where a text stands in another one, from a place on; -1 if it does not. Like `indexOf`, which takes up to as many steps as
 * the product of both lengths: strangers who choose both stop the service with a few kilobytes of `abaaa…`. This takes steps
 * that grow with their sum.
 */
export function findText(text: string, wanted: string, from = 0): number {
  if (wanted.length <= maxNative) return text.indexOf(wanted, from);
  const begin = wanted.slice(0, maxNative);
  let compared = 0;
  for (let at = text.indexOf(begin, from); at !== -1; at = text.indexOf(begin, at + 1)) {
    if (text.startsWith(wanted, at)) return at;
    compared += wanted.length;
    if (compared > text.length) return findInOneGo(text, wanted, at + 1);
  }
  return -1;
}

/** Whether a text stands in another one. */
export function hasText(text: string, wanted: string): boolean {
  return findText(text, wanted) !== -1;
}

/** Those of the texts that do not stand in another one; looked for in turns, for a document may name very many. */
export async function missingTexts(text: string, wanted: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for await (const one of inTurns(wanted)) if (!hasText(text, one)) missing.push(one);
  return missing;
}

/** Never goes back in the text (Knuth, Morris and Pratt). */
function findInOneGo(text: string, wanted: string, from: number): number {
  const shorter = shorterEnds(wanted);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = shorter[matched - 1]!;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched === wanted.length) return at + 1 - matched;
  }
  return -1;
}

/** For each beginning of a text: how long the longest shorter beginning is that it ends with. */
function shorterEnds(wanted: string): Int32Array {
  const lengths = new Int32Array(wanted.length);
  for (let at = 1, matched = 0; at < wanted.length; at += 1) {
    const unit = wanted.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = lengths[matched - 1]!;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    lengths[at] = matched;
  }
  return lengths;
}
