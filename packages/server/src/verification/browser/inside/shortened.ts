/** A text of at most so many characters. Where it was cut stands `…`, which whoever masks secrets knows for a cut. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`.toWellFormed();
}
