/** The candidate that a misspelled word most likely means, if any is near enough. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  const plain = plainForm(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = distanceTo(plain, plainForm(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return bestDistance <= allowedDistance(plain) ? best : undefined;
}

/** Like `nearest`, and also finds a key whose words are partly left out: `min_coverage` for `min_test_coverage`. */
export function nearestKey(word: string, keys: readonly string[]): string | undefined {
  return nearest(word, keys) ?? keys.find((key) => hasAllWordsOf(key, word));
}

const longestWord = 64;

/** `outcomeType`, `outcome-type` and `Outcome Type` are near to `outcome_type`. */
function plainForm(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_");
}

function allowedDistance(word: string): number {
  return word.length <= 2 ? 0 : word.length <= 6 ? 1 : 2;
}

function hasAllWordsOf(key: string, word: string): boolean {
  const written = plainForm(word).split("_");
  const known = plainForm(key).split("_");
  return written.length >= 2 && written.length < known.length && written.every((part) => known.includes(part));
}

/** Edits between two words, a swap of neighbours counting once (optimal string alignment). */
function distanceTo(a: string, b: string): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + cost);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
