/** A line that is longer goes out in pieces. */
const maxOpenChars = 16 * 1024;
/** What one stream says while a long line of the other goes on waits for its end; more does not. */
const maxWaitingChars = 64 * 1024;

type StreamName = "stdout" | "stderr";

/**
 * Joins what a program writes to its two streams, line by line. Programs write to a pipe in blocks, which end anywhere: what
 * they say of an error meanwhile would stand in the middle of a word, and a secret there would no longer be known for one.
 */
export class JoinedStreams {
  readonly #onText: (text: string) => void;
  readonly #open = { stdout: "", stderr: "" };
  /** Whose line went out in part. */
  #unfinished: StreamName | undefined;
  #hasEnded = false;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  /** What came and did not go out yet. */
  get rest(): string {
    const { stdout, stderr } = this.#open;
    return this.#unfinished === "stderr" ? stderr + stdout : stdout + stderr;
  }

  add(name: StreamName, text: string): void {
    this.#open[name] += text;
    const isWaiting = this.#unfinished !== undefined && this.#unfinished !== name;
    if (this.#hasEnded) this.end();
    else if (isWaiting && this.#open[name].length <= maxWaitingChars) return;
    // Not each time in what is open: a program may write letter by letter.
    else if (isWaiting || text.includes("\n")) this.#passLines(name);
    else if (this.#unfinished === name || this.#open[name].length > maxOpenChars) this.#passAll(name);
  }

  /** The program has ended. */
  end(): void {
    const { rest } = this;
    this.#hasEnded = true;
    this.#open.stdout = "";
    this.#open.stderr = "";
    if (rest !== "") this.#onText(rest);
  }

  #passLines(name: StreamName): void {
    const open = this.#open[name];
    const end = open.lastIndexOf("\n") + 1;
    this.#open[name] = open.slice(end);
    this.#unfinished = undefined;
    if (end > 0) this.#onText(open.slice(0, end));
    const other = name === "stdout" ? "stderr" : "stdout";
    if (open.length - end > maxOpenChars) this.#passAll(name);
    else if (this.#open[other].includes("\n")) this.#passLines(other);
  }

  #passAll(name: StreamName): void {
    const text = this.#open[name];
    this.#open[name] = "";
    this.#unfinished = name;
    this.#onText(text);
  }
}
