import type { WriteStream } from "node:tty";
import { cutTo, displayWidth } from "./display-width.ts";
import { printable } from "./printable.ts";

/** How much room there is, and what turns. */
interface LiveSize {
  readonly columns: number;
  readonly rows: number;
  readonly spinner: string;
}

/** What is shown below all other output: a line with a spinner, or lines that are drawn for the room there is. */
export type LiveContent = string | ((size: LiveSize) => readonly string[]);

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;

/** Lines at the bottom of a terminal that change in place; without a terminal it prints nothing. */
export class LiveArea {
  readonly #stream: WriteStream;
  readonly #isTerminal: boolean;
  #content: LiveContent | undefined;
  /** The lines that are on the screen now. */
  #drawn: readonly string[] = [];
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(stream: WriteStream, { isTerminal }: { readonly isTerminal: boolean }) {
    this.#stream = stream;
    this.#isTerminal = isTerminal;
  }

  show(content: LiveContent | undefined): void {
    if (!this.#isTerminal) return;
    this.#content = content;
    this.#redraw();
    if (content === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      this.#timer = setInterval(() => {
        this.#frame++;
        this.#redraw();
      }, frameMs).unref();
    }
  }

  /** Writes permanent lines above what is live. */
  above(write: () => void): void {
    this.#stream.write(this.#erasing());
    this.#drawn = [];
    write();
    this.#redraw();
  }

  /** Shows nothing while a person types. */
  async pausedFor<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++;
    this.#redraw();
    try {
      return await work();
    } finally {
      this.#pauses--;
      this.#redraw();
    }
  }

  /** In one write, so that nothing flickers. */
  #redraw(): void {
    const lines = this.#pauses > 0 || this.#content === undefined ? [] : this.#lines(this.#content);
    if (lines.length === 0 && this.#drawn.length === 0) return;
    const erase = this.#erasing();
    this.#drawn = lines;
    this.#stream.write(erase + lines.join("\n"));
  }

  #lines(content: LiveContent): readonly string[] {
    // The last column stays free: some terminals wrap there.
    const columns = Math.max(1, (this.#stream.columns || 80) - 1);
    const rows = Math.max(1, (this.#stream.rows || 24) - 1);
    const spinner = frames[this.#frame % frames.length]!;
    if (typeof content !== "string") return content({ columns, rows, spinner });
    return [cutTo(`${spinner} ${printable(content)}`, columns)];
  }

  /** Back to the first line of what is drawn, and everything below it away. A narrower window has wrapped the lines. */
  #erasing(): string {
    if (this.#drawn.length === 0) return "";
    const columns = this.#stream.columns || 80;
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return `\r${rows > 1 ? `\x1b[${rows - 1}A` : ""}\x1b[0J`;
  }
}

function widthOf(line: string): number {
  return displayWidth(line.replace(/\x1b\[\d+m/g, ""));
}
