/** A text of somebody else's on one line, without control characters, and cut where it is too long. */
export function oneLine(text: string, most: number): string {
  // Only a little more than is shown is looked at: the text may be very long.
  const line = text
    .slice(0, most * 4)
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, "")
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
  const isWhole = line.length <= most && text.length <= most * 4;
  // A cut may leave half a character.
  return (isWhole ? line : `${line.slice(0, most - 1).trimEnd()}…`).toWellFormed();
}
