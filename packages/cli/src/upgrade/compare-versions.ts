/** Whether one version comes after another, as semantic versioning orders them. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  for (const index of [0, 1, 2]) {
    const difference = a.numbers[index]! - b.numbers[index]!;
    if (difference !== 0) return difference > 0;
  }
  // A version comes after its own previews.
  if (a.preview === undefined || b.preview === undefined) return a.preview === undefined && b.preview !== undefined;
  return isLaterPreview(a.preview, b.preview);
}

function isLaterPreview(a: readonly string[], b: readonly string[]): boolean {
  for (const [index, word] of a.entries()) {
    const other = b[index];
    if (other === undefined) return true;
    if (word === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(word), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return Number(word) > Number(other);
    return isNumber === isOtherNumber ? word > other : isOtherNumber;
  }
  return false;
}

function partsOf(version: string): { numbers: number[]; preview: string[] | undefined } {
  const [numbers = "", preview] = version.split(/-(.*)/s);
  return { numbers: numbers.split(".").map(Number), preview: preview === undefined ? undefined : preview.split(".") };
}
