/** Shorter values are words that stand everywhere: taking them out would say more than it hides. */
const shortest = 4;

/** How values may be written: as they are, and as addresses, JSON, shells, base64 and hexadecimal digits write them. The longest first. */
export function secretForms(values: Iterable<string>): readonly string[] {
  const forms = new Set<string>();
  for (const value of values) {
    if (value.length < shortest) continue;
    for (const form of formsOf(value)) if (form.length >= shortest) forms.add(form);
  }
  return [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

function* formsOf(value: string): Generator<string> {
  const bytes = Buffer.from(value);
  // Line breaks are passed over when a text is looked through, so a value of several lines is looked for as one.
  yield value.replace(/[\r\n]/g, "");
  yield encodeURIComponent(value);
  yield encodeURIComponent(value).replaceAll("%20", "+");
  yield JSON.stringify(value).slice(1, -1);
  yield JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1);
  yield bytes.toString("hex");
  yield bytes.toString("hex").toUpperCase();
  for (const text of base64Forms(bytes)) {
    yield text;
    yield text.replaceAll("+", "-").replaceAll("/", "_");
  }
}

/** In base64 a value looks different at each of three places; the digits that depend on its neighbours are left out. */
function* base64Forms(bytes: Buffer): Generator<string> {
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    if (end - start >= 6) yield text.slice(start, end);
  }
}
