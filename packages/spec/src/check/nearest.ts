/** The candidate that a misspelled word most likely means, if any is close enough. Compares only the first thousand. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxWordLength) return undefined;
  const plain = plainForm(word);
  let best: string | undefined;
  let bestDistance = tooFar;
  let left = maxCandidates;
  for (const candidate of candidates) {
    if (left-- === 0) break;
    if (Math.abs(candidate.length - word.length) > maxLengthDifference) continue;
    const distance = distanceTo(plain, plainForm(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return bestDistance <= allowedDistance(plain) ? best : undefined;
}

/** Like `nearest`, but also finds a key with missing words: `min_test_coverage` for `min_coverage`. */
export function nearestKey(word: string, keys: readonly string[]): string | undefined {
  if (word.length > maxWordLength) return undefined;
  return nearest(word, keys) ?? keyWithWords(plainForm(word).split("_"), keys);
}

const maxWordLength = 64;
const maxCandidates = 1000;
/** Candidates whose length differs by more are skipped: `plainForm` rarely changes a length by much. */
const maxLengthDifference = 8;

/** The form in which `outcomeType`, `outcome-type` and `Outcome Type` are all `outcome_type`. */
function plainForm(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_");
}

function allowedDistance(word: string): number {
  return word.length <= 2 ? 0 : word.length <= 6 ? 1 : 2;
}

function keyWithWords(written: readonly string[], keys: readonly string[]): string | undefined {
  if (written.length < 2) return undefined;
  return keys.find((key) => {
    const known = plainForm(key).split("_");
    return written.length < known.length && written.every((part) => known.includes(part));
  });
}

/** Maximum edits of a misspelled word; with more it is another word. */
const maxEdits = 2;
const tooFar = maxEdits + 1;

/** Edit distance of two words; swapping neighbours counts as one edit (optimal string alignment). */
function distanceTo(a: string, b: string): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > maxEdits) return tooFar;
  // Computes only the five cells per row near the diagonal: all others are too far.
  let beforeLast = [tooFar, tooFar, tooFar, tooFar, tooFar];
  let last = [tooFar, tooFar, 0, 1, 2];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [tooFar, tooFar, tooFar, tooFar, tooFar];
    for (let at = Math.max(0, maxEdits - row); at <= 4; at += 1) {
      const column = row + at - maxEdits;
      if (column > b.length) break;
      const isSame = column > 0 && a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let edits = column === 0 ? row : last[at]! + (isSame ? 0 : 1);
      if (at < 4) edits = Math.min(edits, last[at + 1]! + 1);
      if (at > 0) edits = Math.min(edits, current[at - 1]! + 1);
      if (isSwapped(a, row, b, column)) edits = Math.min(edits, beforeLast[at]! + 1);
      current[at] = edits;
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length - a.length + maxEdits]!;
}

function isSwapped(a: string, row: number, b: string, column: number): boolean {
  if (row < 2 || column < 2 || a.charCodeAt(row - 1) !== b.charCodeAt(column - 2)) return false;
  return a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
}
