import { namedCharacters } from "./decoders/index.ts";

/**
 * How programs and libraries write a text, a row a way. What looks for secrets in output and in files is made of it, see
 * secret-patterns.ts. Breaks and control characters are left out: both skip them. Decoders read mixtures of these, too.
 */
const encodings: Readonly<Record<string, (value: string) => Iterable<string>>> = {
  // Some systems take letters and their accents apart.
  plain: (value) => [value, value.normalize("NFC"), value.normalize("NFD")],
  json: jsonOf,
  escapes: escapesOf,
  quotes: quotesOf,
  url: urlsOf,
  html: htmlOf,
  lost: lostOf,
  hex: function* (value) {
    for (const bytes of bytesOf(value)) {
      yield bytes.toString("hex");
      yield bytes.toString("hex").toUpperCase();
    }
  },
  base64: function* (value) {
    for (const { digits } of bytesOf(value).flatMap(base64Of)) {
      yield digits;
      yield digits.replaceAll("+", "-").replaceAll("/", "_");
    }
  },
};

/** The value in every usual encoding, each once. */
export function encodingsOf(value: string): readonly string[] {
  const written = Object.values(encodings).flatMap((encode) => [...encode(value)]);
  return [...new Set(written.map(withoutControls))];
}

/** Breaks stand between any two characters where a text is wrapped or set in columns; terminals show no control characters. */
export function withoutControls(value: string): string {
  return value.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, "");
}

/** The bytes that programs make of a value: of UTF-8, with the other kind of line ends, and of Latin-1, where it has all letters. */
export function bytesOf(value: string): readonly Buffer[] {
  const unix = value.replaceAll("\r\n", "\n");
  const texts = new Set([value, unix, unix.replaceAll("\n", "\r\n")]);
  return [...texts].flatMap((text) => [Buffer.from(text), ...latin1Of(text)]);
}

/** Nothing where it would be the same as in UTF-8. */
export function latin1Of(value: string): readonly Buffer[] {
  const isLatin = /[\x80-\xff]/.test(value) && !/[^\0-\xff]/.test(value);
  return isLatin ? [Buffer.from(value, "latin1")] : [];
}

/**
 * Bytes have three base64 forms, by their offset modulo three; the digits that depend on its neighbours are left out. `hasTail`
 * says that one such digit follows.
 */
export function base64Of(bytes: Buffer): { readonly digits: string; readonly hasTail: boolean }[] {
  return [0, 1, 2].map((before) => {
    const bits = (before + bytes.length) * 8;
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const digits = text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    return { digits, hasTail: bits % 6 !== 0 };
  });
}

const nonAscii = /[^\0-\x7f]/g;

/** As the usual libraries write it: some escape slashes, some what is not ASCII, some what HTML would read. */
function* jsonOf(value: string): Generator<string> {
  const plain = JSON.stringify(value).slice(1, -1);
  const escaped = (text: string, characters: RegExp) =>
    text.replace(characters, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
  const ascii = escaped(plain, nonAscii);
  yield plain;
  yield JSON.stringify(plain).slice(1, -1);
  yield ascii;
  yield escaped(plain, /[<>&]/g);
  yield plain.replaceAll("/", "\\/");
  yield ascii.replaceAll("/", "\\/");
}

/** As git, shells and languages write what is not ASCII, in quotation marks of either kind. */
function* escapesOf(value: string): Generator<string> {
  const letters: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  for (const quotes of [/[\\\r\n\t]/g, /["\\\r\n\t]/g, /['\\\r\n\t]/g]) {
    const quoted = value.replace(quotes, (found) => letters[found] ?? `\\${found}`);
    yield quoted;
    yield eachByte(quoted, (byte) => `\\${byte.toString(8).padStart(3, "0")}`);
    yield eachByte(quoted, (byte) => `\\x${hex(byte, 2)}`);
    yield eachCharacter(quoted, (code) => `\\u{${code.toString(16)}}`);
    yield eachCharacter(quoted, (code) =>
      code <= 0xff ? `\\x${hex(code, 2)}` : code <= 0xff_ff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`,
    );
  }
  yield value.replace(/[^\w@%+=:,./\r\n\t\x80-\uffff-]/g, "\\$&");
}

/** As shells, SQL, YAML and CSV write the quotation marks around it. */
function* quotesOf(value: string): Generator<string> {
  for (const single of ["'\\''", `'"'"'`, "''"]) yield value.replaceAll("'", single);
  yield value.replaceAll('"', '""');
}

/** Libraries differ in what they leave as it is, and in the case of the digits. */
function* urlsOf(value: string): Generator<string> {
  // A lone half of a character cannot be written in an address.
  const all = encodeURIComponent(value.toWellFormed());
  const strict = all.replace(/[!'()*~]/g, (character) => `%${hex(character.charCodeAt(0), 2).toUpperCase()}`);
  const forms = [all, encodeURI(value.toWellFormed()), strict, strict.replaceAll("%7E", "~")];
  for (const form of forms) {
    for (const text of [form, form.replaceAll("%2F", "/"), form.replaceAll("%20", "+")]) {
      yield text;
      yield text.replace(/%../g, (digits) => digits.toLowerCase());
    }
  }
  // As `escape` of JavaScript.
  yield value.replace(/[^\w@*+./-]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return (code <= 0xff ? `%${hex(code, 2)}` : `%u${hex(code, 4)}`).toUpperCase().replace("%U", "%u");
  });
}

/** Libraries differ in how they write quotation marks, line breaks and what is not ASCII. */
function* htmlOf(value: string): Generator<string> {
  const tags = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const decimal = (code: number) => `&#${code};`;
  const named = new Map([...namedCharacters].map(([name, code]) => [code, `&${name};`]));
  const quoted = ['"', "&quot;", "&#34;"].flatMap((double) =>
    ["'", "&#39;", "&#039;", "&#x27;", "&apos;"].map((single) => tags.replaceAll('"', double).replaceAll("'", single)),
  );
  yield* quoted;
  for (const text of [
    value,
    tags,
    tags.replaceAll('"', "&quot;"),
    value.replace(/[&<>"']/g, (found) => decimal(found.charCodeAt(0))),
  ]) {
    yield eachCharacter(text, decimal);
    yield eachCharacter(text, (code) => `&#x${code.toString(16)};`);
    yield eachCharacter(text, (code) => named.get(code) ?? decimal(code));
    yield eachCharacter(text, decimal).replace(/[\r\n\t]/g, (found) => decimal(found.charCodeAt(0)));
  }
}

/** Readers of UTF-8 see U+FFFD for what Latin-1 has beyond ASCII; of few other letters, too many texts would be taken for it. */
function* lostOf(value: string): Generator<string> {
  if (value.replace(/[^!-~]/g, "").length >= minKept) for (const bytes of latin1Of(value)) yield bytes.toString();
}

const minKept = 8;

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, "0");
}

function eachByte(text: string, write: (byte: number) => string): string {
  return text.replace(/[^\0-\x7f]+/g, (found) => Array.from(Buffer.from(found), write).join(""));
}

function eachCharacter(text: string, write: (code: number) => string): string {
  return text.replace(/[^\0-\x7f]/gu, (found) => write(found.codePointAt(0)!));
}
