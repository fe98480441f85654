import { hasText } from "../find-text.ts";
import { inTurns } from "../in-turns.ts";
import { encodingsOf, withoutBreaks } from "./encodings.ts";

/** Shorter values occur in any file: refusing them would refuse everybody's work. */
const minLength = 8;
/** Bytes of one slice: between two of them, others have their turn. */
const maxSliceBytes = 256 * 1024;

/** Looks for known secret values in the bytes of files: as they are, and as programs usually encode them. */
export class SecretFinder {
  /** A character a byte. */
  readonly #needles: readonly { readonly value: string; readonly bytes: string }[];
  readonly #maxBytes: number;

  constructor(values: Iterable<string>) {
    const known = [...new Set(values)].filter((value) => value.trim().length >= minLength);
    this.#needles = known.flatMap((value) =>
      needlesOf(value.trim()).map((bytes) => ({ value, bytes: bytes.toString("latin1") })),
    );
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
        const slice = withoutBreakBytes(chunk.subarray(at, at + maxSliceBytes));
        const bytes = Buffer.concat([rest, slice]);
        const text = bytes.toString("latin1");
        for await (const { value, bytes: needle } of inTurns(this.#needles))
          if (!found.has(value) && hasText(text, needle)) found.add(value);
        // A copy: the chunk is only ours until the next one.
        rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#maxBytes + 1)));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return found;
  }
}

/** Tab, line feed, carriage return. */
const breaks: readonly number[] = [9, 10, 13];

/** Base64 is written in lines, and a key may stand in two. */
function withoutBreakBytes(bytes: Uint8Array): Uint8Array {
  if (!breaks.some((byte) => bytes.includes(byte))) return bytes;
  return bytes.filter((byte) => !breaks.includes(byte));
}

function needlesOf(value: string): Buffer[] {
  const texts = encodingsOf(value).map((text) => Buffer.from(withoutBreaks(text)));
  // As some programs of Windows write, in either order of bytes.
  const wide = Buffer.from(withoutBreaks(value), "utf16le");
  return [...texts, wide, Buffer.from(wide).swap16()];
}
