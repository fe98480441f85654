import { oneLine } from "../../../platform/one-line.ts";
import type { AgentHost } from "../driver.ts";
import { OutputEnd } from "../output-end.ts";

const maxLines = 12;
const maxLength = 300;

/** The last lines of a program's output, for the message of its failure. */
export class LastLines {
  readonly #end = new OutputEnd();

  add(lines: readonly string[]): void {
    this.#end.add(lines.map((line) => `${line}\n`).join(""));
  }

  async text(host: Pick<AgentHost, "maskEnd">): Promise<string> {
    const lines = (await this.#end.masked(host)).split("\n").slice(-maxLines * 2);
    const told = lines.map((line) => oneLine(line, maxLength)).filter((line) => line !== "");
    return told.slice(-maxLines).join("\n");
  }
}
