/** Shorter values occur everywhere: masking them would reveal more than it hides. */
const minLength = 4;

/** The ways in which values may appear in a text: verbatim, in URLs, JSON, base64 and hexadecimal. Longest first. */
export function secretEncodings(values: Iterable<string>): readonly string[] {
  const encodings = new Set<string>();
  for (const value of values) {
    if (value.length < minLength) continue;
    for (const encoding of encodingsOf(value)) if (encoding.length >= minLength) encodings.add(encoding);
  }
  return [...encodings].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

function* encodingsOf(value: string): Generator<string> {
  const bytes = Buffer.from(value);
  // The masker ignores line breaks in texts, so a value of several lines is searched as one.
  yield value.replace(/[\r\n]/g, "");
  yield encodeURIComponent(value);
  yield encodeURIComponent(value).replaceAll("%20", "+");
  yield JSON.stringify(value).slice(1, -1);
  yield JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1);
  yield bytes.toString("hex");
  yield bytes.toString("hex").toUpperCase();
  for (const text of base64Encodings(bytes)) {
    yield text;
    yield text.replaceAll("+", "-").replaceAll("/", "_");
  }
}

/** A value has three base64 forms, by its offset modulo three; the digits that depend on its neighbours are left out. */
function* base64Encodings(bytes: Buffer): Generator<string> {
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    if (end - start >= 6) yield text.slice(start, end);
  }
}
