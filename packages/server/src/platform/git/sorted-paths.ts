/** Whether paths in their order hold one below a folder. */
export function hasBelow(sorted: readonly string[], folder: string): boolean {
  const below = `${folder}/`;
  return sorted[firstFrom(sorted, below)]?.startsWith(below) ?? false;
}

/** Whether paths in their order hold this one, or one below it. */
export function hasAt(sorted: readonly string[], path: string): boolean {
  return sorted[firstFrom(sorted, path)] === path || hasBelow(sorted, path);
}

/** Where the first text is that is not before another. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! < text) from = middle + 1;
    else to = middle;
  }
  return from;
}
