/**
 * How programs and libraries write a text, a row a way. The masker and the finder both read it, so that what one hides in
 * output, the other finds in files. Line breaks and tabs are left out: both skip them. The masker's decoders read mixtures of these
 * too; the finder adds UTF-16, which no text has.
 */
const encodings: Readonly<Record<string, (value: string) => Iterable<string>>> = {
  plain: (value) => [withoutBreaks(value)],
  json: jsonOf,
  url: urlsOf,
  html: htmlOf,
  hex: (value) => [hexOf(value), hexOf(value).toUpperCase()],
  base64: function* (value) {
    for (const { digits } of base64Of(value)) {
      yield digits;
      yield digits.replaceAll("+", "-").replaceAll("/", "_");
    }
  },
};

/** The value in every usual encoding, each once. */
export function encodingsOf(value: string): readonly string[] {
  return [...new Set(Object.values(encodings).flatMap((encode) => [...encode(value)]))];
}

/** Line breaks and tabs, which stand between any two characters where a text is wrapped or set in columns. */
export function withoutBreaks(value: string): string {
  return value.replace(/[\r\n\t\u2028\u2029]/g, "");
}

export function hexOf(value: string): string {
  return Buffer.from(value).toString("hex");
}

/**
 * A value has three base64 forms, by its offset modulo three; the digits that depend on its neighbours are left out. `hasTail`
 * says that one such digit follows.
 */
export function base64Of(value: string): { readonly digits: string; readonly hasTail: boolean }[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].map((before) => {
    const bits = (before + bytes.length) * 8;
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const digits = text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    return { digits, hasTail: bits % 6 !== 0 };
  });
}

/** As the usual libraries write it: some escape slashes, some what is not ASCII, some what HTML would read. */
function* jsonOf(value: string): Generator<string> {
  const plain = JSON.stringify(value).slice(1, -1);
  const escaped = (text: string, characters: RegExp) =>
    text.replace(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const ascii = escaped(plain, /[^\0-\x7f]/g);
  yield plain;
  yield JSON.stringify(plain).slice(1, -1);
  yield ascii;
  yield escaped(plain, /[<>&]/g);
  yield plain.replaceAll("/", "\\/");
  yield ascii.replaceAll("/", "\\/");
}

/** Libraries differ in what they leave as it is, and in the case of the digits. */
function* urlsOf(value: string): Generator<string> {
  // A lone half of a character cannot be written in an address.
  const all = encodeURIComponent(value.toWellFormed());
  const strict = all.replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [all, encodeURI(value.toWellFormed()), strict, strict.replaceAll("%7E", "~")];
  for (const form of forms) {
    for (const text of [form, form.replaceAll("%2F", "/"), form.replaceAll("%20", "+")]) {
      yield text;
      yield text.replace(/%../g, (digits) => digits.toLowerCase());
    }
  }
}

/** Libraries differ in how they write quotation marks. */
function* htmlOf(value: string): Generator<string> {
  const tags = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  yield value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  for (const double of ['"', "&quot;", "&#34;"])
    for (const single of ["'", "&#39;", "&#039;", "&#x27;", "&apos;"])
      yield tags.replaceAll('"', double).replaceAll("'", single);
}
