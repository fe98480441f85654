import type { AgentEvent } from "./driver.ts";

/**
 * Joins pieces of what an agent says to messages. Of one that gets too long the beginning goes out as output, which is
 * masked as a stream of its own: a secret across the place where it is cut is still known, whatever comes between.
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

  /** The beginning of a message went out, and no line ends there. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  add(piece: string): void {
    this.#text += piece;
    if (this.#text.length <= this.#maxLength) return;
    this.#emitOutput(this.#hasBegun ? this.#text : this.#text.trimStart());
    this.#hasBegun = true;
    this.#text = "";
  }

  /** The message is over. */
  end(): void {
    const text = this.#hasBegun ? this.#text.trimEnd() : this.#text.trim();
    if (this.#hasBegun) this.#emitOutput(`${text}\n`, true);
    else if (text !== "") this.#emit({ type: "message", text });
    this.#hasBegun = false;
    this.#text = "";
  }

  #emitOutput(text: string, isLastPart = false): void {
    this.#emit({ type: "log", stream: "stdout", text, isLastPart });
  }
}
