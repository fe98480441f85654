import { JsonMeasure } from "../../platform/bounded-json.ts";

/** Libraries parse an answer, or one event of a stream, at once: nothing else is answered meanwhile. */
const maxBytesAtOnce = 8 * 1024 * 1024;
/** Of all events: one tells a few letters, and says a lot beside them. */
const maxBytesOfStream = 64 * 1024 * 1024;

/** Looks at the answer of a stranger while it arrives: whether somebody else's library may read it. */
export class AnswerMeasure {
  readonly #isStream: boolean;
  #bytes = 0;
  #bytesAtOnce = 0;
  #json = new JsonMeasure();
  /** Of the line so far: what matters. */
  #line: "" | "\r" | "text" = "";

  constructor({ isStream }: { readonly isStream: boolean }) {
    this.#isStream = isStream;
  }

  /** Takes the next bytes; returns what is wrong with the answer so far. */
  add(chunk: Uint8Array): "too long" | "too complex" | undefined {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > (this.#isStream ? maxBytesOfStream : maxBytesAtOnce)) return "too long";
    // The signs that count are ASCII, of which no other character has a byte.
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    if (!this.#isStream) return this.#json.add(text) ? "too complex" : undefined;
    for (const piece of text.split(/(?<=[\r\n])/)) {
      this.#bytesAtOnce += piece.length;
      if (this.#bytesAtOnce > maxBytesAtOnce) return "too long";
      if (this.#json.add(piece)) return "too complex";
      this.#endLine(piece);
    }
    return undefined;
  }

  /** An empty line ends an event. Between two `\r` it does so only for some who read streams. */
  #endLine(piece: string): void {
    const line = this.#line + piece;
    const end = line.at(-1);
    if (end === "\r" || end === "\n") this.#json.endLine();
    if (end === "\n") this.#line = "";
    else this.#line = line === "\r" ? line : "text";
    if (line !== "\n" && line !== "\r\n") return;
    this.#json = new JsonMeasure();
    this.#bytesAtOnce = 0;
  }
}
