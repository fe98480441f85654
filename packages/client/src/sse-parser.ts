/** One server-sent event. */
export interface SseEvent {
  /** The last id sent, with this event or before it. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** An event exceeds the size limit, so the stream cannot be trusted any more. */
export class SseEventTooLarge extends Error {
  override readonly name = "SseEventTooLarge";
}

/** Parses `text/event-stream` by the HTML standard, from chunks that may be cut anywhere. */
export class SseParser {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder();
  /** The start of a line whose end has not arrived yet. */
  #line = "";
  /** The last chunk ended with a carriage return; a line feed at the start of the next one belongs to it. */
  #isAfterReturn = false;
  #id = "";
  #event = "";
  #data: string[] = [];
  #dataLength = 0;

  constructor(maxLength = 16 * 1024 * 1024) {
    this.#maxLength = maxLength;
  }

  /** The events that this chunk completes. */
  push(chunk: Uint8Array): SseEvent[] {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return [];
    if (this.#isAfterReturn && text.startsWith("\n")) text = text.slice(1);
    this.#isAfterReturn = text.endsWith("\r");
    const events: SseEvent[] = [];
    let start = 0;
    for (const { 0: ending, index } of text.matchAll(/\r\n|\r|\n/g)) {
      const event = this.#readLine(this.#line + text.slice(start, index));
      if (event) events.push(event);
      this.#line = "";
      start = index + ending.length;
    }
    this.#line += text.slice(start);
    if (this.#line.length + this.#dataLength > this.#maxLength)
      throw new SseEventTooLarge("An SSE event is too large.");
    return events;
  }

  #readLine(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
      if (this.#dataLength > this.#maxLength) throw new SseEventTooLarge("An SSE event is too large.");
    } else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const event = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    this.#dataLength = 0;
    return isEmpty ? undefined : event;
  }
}
