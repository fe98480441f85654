import { count } from "../../platform/count.ts";
import { ControlStripper } from "../../platform/log/index.ts";
import { type Masked, Masker } from "../../platform/secrets/index.ts";

/** What a program may write to its log at once, and then every second: a log is read by people. */
const usual = { burstChars: 4 << 20, charsPerSecond: 32 << 10 };

/** A line that is longer becomes several. */
const maxLineChars = 16 << 10;

/** What is left out is noted with the next output that has room, or after so long. */
const untilNoteMs = 2_000;

interface LogDeps {
  /** Values that must not appear in it. */
  readonly secrets: readonly string[];
  readonly onText: (text: Masked) => void;
  readonly allowance?: typeof usual;
  readonly nowMs?: () => number;
}

/**
 * The log of a program that runs for ever: masked, and no more than somebody could keep. Others write to the same log, so it
 * comes in whole lines, without what would change theirs.
 */
export class ProgramLog {
  readonly #deps: LogDeps;
  readonly #nowMs: () => number;
  #masker: Masker;
  #stripper = new ControlStripper();
  /** The beginning of a line. */
  #open = "";
  readonly #allowance: typeof usual;
  #room: number;
  #roomAtMs: number;
  #leftOut = 0;
  /** Runs while something is left out: nobody knows whether the program will ever write again. */
  #untilNote: NodeJS.Timeout | undefined;

  constructor(deps: LogDeps) {
    this.#deps = deps;
    this.#nowMs = deps.nowMs ?? (() => performance.now());
    this.#masker = new Masker(deps.secrets);
    this.#allowance = deps.allowance ?? usual;
    this.#room = this.#allowance.burstChars;
    this.#roomAtMs = this.#nowMs();
  }

  /** What the program wrote. */
  write(text: string): void {
    // Masked in any case: what is left out may hold the beginning of a secret whose end is not.
    this.#pass(this.#masker.push(text));
  }

  /** The program has ended; another one may write from now on. */
  end(): void {
    this.#pass(this.#masker.end());
    this.#noteLeftOut();
    this.#endLine();
    this.#masker = new Masker(this.#deps.secrets);
    this.#stripper = new ControlStripper();
  }

  /** A line of the supervisor's own. */
  note(text: string): void {
    this.#endLine();
    this.#deps.onText(this.#masker.mask(`${text}\n`));
  }

  #pass(text: string): void {
    if (text === "") return;
    const { burstChars, charsPerSecond } = this.#allowance;
    const now = this.#nowMs();
    const earned = ((now - this.#roomAtMs) / 1_000) * charsPerSecond;
    this.#room = Math.min(burstChars, this.#room + earned);
    this.#roomAtMs = now;
    if (text.length > this.#room) {
      this.#leftOut += text.length;
      this.#untilNote ??= setTimeout(() => this.#noteLeftOut(), untilNoteMs).unref();
      return;
    }
    this.#room -= text.length;
    this.#noteLeftOut();
    this.#add(this.#stripper.strip(text));
  }

  #add(text: string): void {
    const end = text.lastIndexOf("\n") + 1;
    const whole = end === 0 ? "" : this.#open + text.slice(0, end);
    this.#open = end === 0 ? this.#open + text : text.slice(end);
    if (whole !== "") this.#deps.onText(whole as Masked);
    if (this.#open.length > maxLineChars) this.#endLine();
  }

  #endLine(): void {
    const line = this.#open;
    this.#open = "";
    if (line !== "") this.#deps.onText(`${line}\n` as Masked);
  }

  #noteLeftOut(): void {
    clearTimeout(this.#untilNote);
    this.#untilNote = undefined;
    if (this.#leftOut > 0)
      this.note(`… ${count(this.#leftOut, "more character was", "more characters were")} left out`);
    this.#leftOut = 0;
  }
}
