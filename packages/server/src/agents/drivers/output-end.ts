import type { AgentHost } from "./driver.ts";

/** What messages quote is among so much. */
const maxQuotedChars = 16 * 1024;
/** Before it stands what is as long as all secrets of a document may be: one that goes on into the end is known. */
const maxChars = 128 * 1024;

/** The end of what an agent's program wrote, for the message of its failure. */
export class OutputEnd {
  #text = "";

  add(text: string): void {
    this.#text += text;
    // Not each time: to cut off its beginning, the text is copied.
    if (this.#text.length > 2 * maxChars) this.#text = this.#text.slice(-maxChars);
  }

  /** Masked here and not with the message: a line of a secret that has several is no longer known for a part of one. */
  masked(host: Pick<AgentHost, "maskEnd">): Promise<string> {
    return host.maskEnd(this.#text, maxQuotedChars);
  }
}
