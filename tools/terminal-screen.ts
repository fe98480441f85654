/** What a terminal shows after the bytes that our commands write: lines, colours, and what moves the cursor up and erases. */
export class TerminalScreen {
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  /** The colours that are set now, written before the next character. */
  #style = "";
  /** The beginning of a sequence whose end has not come yet. */
  #rest = "";

  write(text: string): void {
    const parts = (this.#rest + text).split(/(\x1b\[[\d;?]*[A-Za-z]|\r|\n)/);
    const last = parts.pop() ?? "";
    const [whole = "", cut = ""] = last.split(/(\x1b.*)$/s);
    this.#rest = cut;
    for (const part of [...parts, whole]) this.#apply(part);
  }

  /** The last rows, each with its colours. */
  lines(count: number): string[] {
    return this.#rows.slice(-count).map((cells) => cells.join("").trimEnd());
  }

  #apply(part: string): void {
    const [, numbers = "", command] = /^\x1b\[([\d;?]*)([A-Za-z])$/.exec(part) ?? [];
    if (command === "m") this.#style = numbers === "" || numbers === "0" ? "" : this.#style + part;
    else if (command === "A") this.#row = Math.max(0, this.#row - Number(numbers || 1));
    else if (command === "J") this.#eraseBelow();
    else if (part === "\r") this.#column = 0;
    else if (part === "\n") this.#nextLine();
    else if (command === undefined) for (const character of part) this.#put(character);
  }

  #put(character: string): void {
    const cells = this.#rows[this.#row]!;
    while (cells.length < this.#column) cells.push(" ");
    cells[this.#column++] = this.#style === "" ? character : `${this.#style}${character}\x1b[0m`;
  }

  #nextLine(): void {
    this.#row++;
    this.#column = 0;
    this.#rows[this.#row] ??= [];
  }

  #eraseBelow(): void {
    this.#rows[this.#row]!.length = Math.min(this.#rows[this.#row]!.length, this.#column);
    this.#rows.length = this.#row + 1;
  }
}
