import { oneLine } from "../../one-line.ts";

const mostLines = 12;
const mostLength = 300;

/** The last things that a program printed, for who has to say why it failed. */
export class LastLines {
  #lines: string[] = [];

  add(lines: readonly string[]): void {
    const told = lines.slice(-mostLines * 2).map((line) => oneLine(line, mostLength));
    this.#lines = [...this.#lines, ...told.filter((line) => line !== "")].slice(-mostLines);
  }

  get text(): string {
    return this.#lines.join("\n");
  }
}
