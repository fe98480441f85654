import type { AgentEvent } from "./driver.ts";

/**
 * Joins pieces of what an agent says to messages. Of one that gets too long the beginning goes out as output, which is
 * masked as a stream: a secret across the place where it is cut is still known.
 */
export class JoinedText {
  readonly #emit: (event: AgentEvent) => void;
  readonly #maxLength: number;
  #text = "";
  #hasBegun = false;

  constructor(emit: (event: AgentEvent) => void, maxLength: number) {
    this.#emit = emit;
    this.#maxLength = maxLength;
  }

  /** Returns whether some of it went out. */
  add(piece: string): boolean {
    this.#text += piece;
    if (this.#text.length <= this.#maxLength) return false;
    this.#emitOutput(this.#hasBegun ? this.#text : this.#text.trimStart());
    this.#hasBegun = true;
    this.#text = "";
    return true;
  }

  /** The message is over. */
  end(): void {
    const text = this.#hasBegun ? this.#text.trimEnd() : this.#text.trim();
    if (this.#hasBegun) this.#emitOutput(`${text}\n`);
    else if (text !== "") this.#emit({ type: "message", text });
    this.#hasBegun = false;
    this.#text = "";
  }

  #emitOutput(text: string): void {
    this.#emit({ type: "log", stream: "stdout", text });
  }
}
