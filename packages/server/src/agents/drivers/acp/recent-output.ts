import { wholeEnd } from "../../../platform/one-line.ts";
import type { AgentHost } from "../driver.ts";
import { OutputEnd } from "../output-end.ts";

const maxLength = 600;

/** The end of a program's output, for the message of its failure. */
export class RecentOutput {
  readonly #end = new OutputEnd();

  add(text: string): void {
    this.#end.add(text);
  }

  /** A sentence to append to others; empty if there was no output. */
  async told(host: Pick<AgentHost, "maskEnd">): Promise<string> {
    const text = wholeEnd(await this.#end.masked(host), maxLength).trim();
    return text === "" ? "" : ` Its last output: ${text}`;
  }
}
