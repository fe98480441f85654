/** Shorter values occur in any file: refusing them would refuse everybody's work. */
const minLength = 8;
/** Bytes of one slice: between two of them, others have their turn. */
const maxSliceBytes = 256 * 1024;

/** Looks for known secret values in the bytes of files: as they are, and as programs usually encode them. */
export class SecretFinder {
  readonly #needles: readonly { readonly value: string; readonly bytes: Buffer }[];
  readonly #maxBytes: number;

  constructor(values: Iterable<string>) {
    const known = [...new Set(values)].filter((value) => value.trim().length >= minLength);
    this.#needles = known.flatMap((value) => needlesOf(value.trim()).map((bytes) => ({ value, bytes })));
    this.#maxBytes = Math.max(0, ...this.#needles.map(({ bytes }) => bytes.length));
  }

  /** Whether there is nothing to look for. */
  get isIdle(): boolean {
    return this.#needles.length === 0;
  }

  /** The values that a content holds, however it is cut into chunks. */
  async findIn(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    let rest = Buffer.alloc(0);
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += maxSliceBytes) {
        const slice = withoutBreaks(chunk.subarray(at, at + maxSliceBytes));
        const bytes = Buffer.concat([rest, slice]);
        for (const { value, bytes: needle } of this.#needles)
          if (!found.has(value) && bytes.includes(needle)) found.add(value);
        // A copy: the chunk is only ours until the next one.
        rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#maxBytes + 1)));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return found;
  }
}

/** Base64 is written in lines, and a key may stand in two. */
function withoutBreaks(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(10) && !bytes.includes(13)) return bytes;
  return bytes.filter((byte) => byte !== 10 && byte !== 13);
}

function needlesOf(value: string): Buffer[] {
  const texts = [...new Set(encodingsOf(value))].map((text) => Buffer.from(text));
  // As some programs of Windows write, in either order of bytes.
  const wide = Buffer.from(value.replace(/[\r\n]/g, ""), "utf16le");
  return [...texts, wide, Buffer.from(wide).swap16()];
}

function* encodingsOf(value: string): Generator<string> {
  const bytes = Buffer.from(value);
  yield value.replace(/[\r\n]/g, "");
  yield* jsonOf(value);
  yield* urlsOf(value);
  yield* htmlOf(value);
  yield bytes.toString("hex");
  yield bytes.toString("hex").toUpperCase();
  for (const text of base64Of(bytes)) {
    yield text;
    yield text.replaceAll("+", "-").replaceAll("/", "_");
  }
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

/** Three forms, by what stands before the value; the digits that depend on its neighbours are left out. */
function* base64Of(bytes: Buffer): Generator<string> {
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const from = Math.ceil((before * 8) / 6);
    yield text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
  }
}
