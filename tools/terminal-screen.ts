/** What a terminal shows after the bytes that our commands write: lines, colours, and what moves the cursor up and erases. */
export class TerminalScreen {
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  /** What is set now: a colour, bold and dim. */
  #codes: readonly string[] = [];
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
    if (command === "m") for (const code of numbers.split(";")) this.#set(code);
    else if (command === "A") this.#row = Math.max(0, this.#row - Number(numbers || 1));
    else if (command === "J") this.#eraseBelow();
    else if (part === "\r") this.#column = 0;
    else if (part === "\n") this.#nextLine();
    else if (command === undefined) for (const character of part) this.#put(character);
  }

  /** Each code ends some of those before it. */
  #set(code: string): void {
    const isWeight = (one: string) => one === "1" || one === "2";
    if (code === "" || code === "0") this.#codes = [];
    else if (code === "22") this.#codes = this.#codes.filter((one) => !isWeight(one));
    else if (code === "39") this.#codes = this.#codes.filter(isWeight);
    else this.#codes = [...this.#codes.filter((one) => isWeight(one) !== isWeight(code)), code];
  }

  #put(character: string): void {
    const cells = this.#rows[this.#row]!;
    while (cells.length < this.#column) cells.push(" ");
    const style = this.#codes.map((code) => `\x1b[${code}m`).join("");
    cells[this.#column++] = style === "" ? character : `${style}${character}\x1b[0m`;
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
