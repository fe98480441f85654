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

const maxLastLineLength = 500;
const maxLastLines = 10;

/** The last line of what a program printed, masked already: it stands in reasons that are stored and shown. */
export function lastLine(output: string): string {
  // Programs that print in colour turn it off on a line of its own.
  const lines = output.trimEnd().split("\n").slice(-maxLastLines).toReversed();
  for (const line of lines) {
    const said = oneLine(line, maxLastLineLength);
    if (said !== "") return said;
  }
  return "";
}

/** Texts of agents and scripts may hold anything and be cut anywhere; Postgres refuses NUL and lone surrogates. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** JSON whose texts may come from others, such as an issuer of tokens. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? storableText(part) : part));
}

/** A text of at most so many characters; where it was cut stands `…`, which masking knows for a cut. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`.toWellFormed();
}

/** Bytes of a text that was cut off, without the half of a character at their end: it would hide what stands before it. */
export function withoutHalf(bytes: Buffer): Buffer {
  let first = bytes.length - 1;
  while (first > bytes.length - 4 && first > 0 && (bytes[first]! & 0xc0) === 0x80) first -= 1;
  const lead = bytes[first] ?? 0;
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - first < wanted ? bytes.subarray(0, first) : bytes;
}

const maxWordLength = 8 * 1024;

/** The end of a text from a whole line on, else a whole word: nobody would know half a secret for one. */
export function wholeEnd(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(-maxLength);
  const first = end.slice(0, Math.min(maxWordLength, maxLength / 2));
  const at = first.includes("\n") ? first.indexOf("\n") : first.search(/\s/);
  return end.slice(at === -1 ? first.length : at + 1);
}
