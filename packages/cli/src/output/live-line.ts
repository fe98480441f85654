import type { WriteStream } from "node:tty";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** An animated status line at the bottom of a terminal; without a terminal it prints nothing. */
export class LiveLine {
  readonly #stream: WriteStream;
  readonly #isTerminal: boolean;
  #text: string | undefined;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: WriteStream) {
    this.#stream = stream;
    this.#isTerminal = stream.isTTY === true && process.env["TERM"] !== "dumb";
  }

  show(text: string | undefined): void {
    if (!this.#isTerminal) return;
    this.#clear();
    this.#text = text;
    this.#draw();
    clearInterval(this.#timer);
    if (text === undefined) return;
    this.#timer = setInterval(() => {
      this.#frame++;
      this.#draw();
    }, 100);
    this.#timer.unref();
  }

  /** Writes permanent lines above the status line. */
  above(write: () => void): void {
    this.#clear();
    write();
    this.#draw();
  }

  #draw(): void {
    if (this.#text === undefined) return;
    const line = `${frames[this.#frame % frames.length]} ${this.#text}`;
    this.#stream.write(`\r\x1b[2K${line.slice(0, (this.#stream.columns || 80) - 1)}`);
  }

  #clear(): void {
    if (this.#text !== undefined) this.#stream.write("\r\x1b[2K");
  }
}
