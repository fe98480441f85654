import { setTimeout as delay } from "node:timers/promises";
import { hearWhatCame } from "../../../../platform/hear-what-came.ts";
import type { Program } from "../../driver.ts";
import { readOutput } from "../../read-output.ts";
import type { ToolContext } from "./tool.ts";

const maxHead = 8_000;
const maxTail = 22_000;
/** How long the pipes of a program that has ended are still read. */
const drainMs = 200;

export interface ProgramEnd {
  /** Null if the program was ended. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  /** The beginning and the end of its output. */
  readonly output: string;
}

/** Runs a program in the sandbox until it ends or its time is over; its children end with it. */
export async function runProgram(
  { host, signal, emit, whenRoom }: ToolContext,
  program: Program,
  { limitMs, isLogged }: { limitMs: number; isLogged: boolean },
): Promise<ProgramEnd> {
  const output = new BoundedText();
  const running = host.start(program);
  const kill = () => running.kill();
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  const reading = (["stdout", "stderr"] as const).map((name) => {
    const decoder = new TextDecoder();
    return readOutput(running[name], { whenRoom }, (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      output.add(text);
      if (isLogged) emit({ type: "log", stream: name, text });
    });
  });
  running.stdin.on("error", () => {});
  running.stdin.end();
  const timeLimit = new AbortController();
  try {
    const end = await Promise.race([
      running.ended,
      delay(limitMs, undefined, { signal: timeLimit.signal }).then(hearWhatCame, () => undefined),
    ]);
    if (end === undefined) {
      kill();
      await running.ended;
    } else {
      await whenRoom();
      await Promise.race([Promise.all(reading), delay(drainMs).then(hearWhatCame)]);
    }
    signal.throwIfAborted();
    return { exitCode: end?.exitCode ?? null, isTimedOut: end === undefined, output: output.toString() };
  } finally {
    timeLimit.abort();
    signal.removeEventListener("abort", kill);
    // Its children too: nothing may replace folders by links while the file tools check paths.
    kill();
  }
}

/** The beginning and the end of a text that may be endless. */
class BoundedText {
  #head = "";
  #tail = "";
  #left = 0;

  add(text: string): void {
    const room = Math.max(0, maxHead - this.#head.length);
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length <= 2 * maxTail) return;
    this.#left += this.#tail.length - maxTail;
    this.#tail = this.#tail.slice(-maxTail);
  }

  toString(): string {
    const tail = this.#tail.slice(-maxTail);
    const left = this.#left + this.#tail.length - tail.length;
    return left === 0 ? this.#head + tail : `${this.#head}\n[… ${left} characters left out …]\n${tail}`;
  }
}
