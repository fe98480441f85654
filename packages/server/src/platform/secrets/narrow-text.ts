import { isUtf8 } from "node:buffer";

const nothing = Buffer.alloc(0);
const lost = 0xfffd;
const maxCode = 0x10_ff_ff;

/** The text that bytes are: of UTF-8, and what is not, of Latin-1. */
export function narrowText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const units = new Uint16Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const code = characterAt(bytes, at);
    if (code === undefined) {
      // Latin-1 has control characters there: whoever writes such a byte means none of them.
      const byte = bytes[at]!;
      units[length] = byte >= 0x80 && byte <= 0x9f ? lost : byte;
      length += 1;
      at += 1;
    } else {
      if (code > 0xff_ff) {
        units[length] = 0xd800 + ((code - 0x1_00_00) >> 10);
        length += 1;
      }
      units[length] = code > 0xff_ff ? 0xdc00 + (code & 0x3ff) : code;
      length += 1;
      at += sizeOf(bytes[at]!);
    }
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString("utf16le");
}

/** The text of a file whose bytes come in parts. */
export class NarrowText {
  /** The beginning of a character, at the end of what was read. */
  #begun = nothing;

  read(bytes: Buffer): string {
    const all = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    const length = all.length - begunLength(all);
    this.#begun = Buffer.from(all.subarray(length));
    return narrowText(all.subarray(0, length));
  }

  end(): string {
    const text = narrowText(this.#begun);
    this.#begun = nothing;
    return text;
  }
}

/** The code of a character of several bytes of UTF-8; undefined where none stands. */
function characterAt(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at]!;
  const size = sizeOf(first);
  if (size === 1) return undefined;
  let code = first & (0x7f >> size);
  for (let index = 1; index < size; index += 1) {
    const byte = bytes[at + index] ?? 0;
    if (byte >> 6 !== 0b10) return undefined;
    code = (code << 6) | (byte & 0x3f);
  }
  const isTooShort = (size === 3 && code < 0x800) || (size === 4 && code < 0x1_00_00);
  return isTooShort || code > maxCode || (code >= 0xd800 && code <= 0xdfff) ? undefined : code;
}

/** How many bytes a character of UTF-8 has that begins with this one. */
function sizeOf(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** How many bytes at the end begin a character of which more are to come. */
function begunLength(bytes: Buffer): number {
  for (let length = 1; length <= 3; length += 1) {
    const byte = bytes.at(-length) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return length < sizeOf(byte) ? length : 0;
  }
  return 0;
}
