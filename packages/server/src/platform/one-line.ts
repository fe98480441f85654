/** An untrusted text on one line: without control characters, cut to `maxLength`. */
export function oneLine(text: string, maxLength: number): string {
  // Reads only a little more than the result needs: the text may be very long.
  const line = text
    .slice(0, maxLength * 4)
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, "")
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
  const isWhole = line.length <= maxLength && text.length <= maxLength * 4;
  // A cut may leave half a character.
  return (isWhole ? line : `${line.slice(0, maxLength - 1).trimEnd()}…`).toWellFormed();
}
