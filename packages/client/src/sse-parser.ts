/** One frame of an event stream. */
export interface SseFrame {
  /** The last id that was told, in this frame or before it. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A frame is larger than anyone sends; the stream cannot be trusted any more. */
export class FrameTooLarge extends Error {
  override readonly name = "FrameTooLarge";
}

/** Reads `text/event-stream` as the HTML standard describes it, from pieces that may be cut anywhere. */
export class SseParser {
  readonly #mostCharacters: number;
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not come yet. */
  #line = "";
  /** The last piece ended with a carriage return: a line feed that comes now belongs to it. */
  #isAfterReturn = false;
  #id = "";
  #event = "";
  #data: string[] = [];
  #held = 0;

  constructor(mostCharacters = 4 * 1024 * 1024) {
    this.#mostCharacters = mostCharacters;
  }

  /** The frames that this piece completes. */
  push(piece: Uint8Array): SseFrame[] {
    let text = this.#decoder.decode(piece, { stream: true });
    if (text === "") return [];
    if (this.#isAfterReturn && text.startsWith("\n")) text = text.slice(1);
    this.#isAfterReturn = text.endsWith("\r");
    const frames: SseFrame[] = [];
    let start = 0;
    for (const { 0: ending, index } of text.matchAll(/\r\n|\r|\n/g)) {
      const frame = this.#take(this.#line + text.slice(start, index));
      if (frame) frames.push(frame);
      this.#line = "";
      start = index + ending.length;
    }
    this.#line += text.slice(start);
    if (this.#line.length + this.#held > this.#mostCharacters) throw new FrameTooLarge("A frame is too large.");
    return frames;
  }

  #take(line: string): SseFrame | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") {
      this.#data.push(value);
      this.#held += value.length + 1;
      if (this.#held > this.#mostCharacters) throw new FrameTooLarge("A frame is too large.");
    } else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch(): SseFrame | undefined {
    const frame = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    this.#held = 0;
    return isEmpty ? undefined : frame;
  }
}
