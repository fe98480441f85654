import { oneLine } from "../../../platform/one-line.ts";

const maxLines = 12;
const maxLength = 300;

/** The last things that a program printed, for who has to say why it failed. */
export class LastLines {
  #lines: string[] = [];

  add(lines: readonly string[]): void {
    const told = lines.slice(-maxLines * 2).map((line) => oneLine(line, maxLength));
    this.#lines = [...this.#lines, ...told.filter((line) => line !== "")].slice(-maxLines);
  }

  get text(): string {
    return this.#lines.join("\n");
  }
}
