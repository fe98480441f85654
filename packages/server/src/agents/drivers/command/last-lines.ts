import { oneLine } from "../../../platform/one-line.ts";

const maxLines = 12;
const maxLength = 300;

/** The last lines of a program's output, for the message of its failure. */
export class LastLines {
  #lines: string[] = [];

  add(lines: readonly string[]): void {
    const added = lines.slice(-maxLines * 2).map((line) => oneLine(line, maxLength));
    this.#lines = [...this.#lines, ...added.filter((line) => line !== "")].slice(-maxLines);
  }

  get text(): string {
    return this.#lines.join("\n");
  }
}
