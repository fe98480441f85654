import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Program } from "../../driver.ts";
import type { ToolPlace } from "./tool.ts";

const maxHead = 8_000;
const maxTail = 22_000;
/** What is left in the pipes of a program that has ended is read within this time. */
const drainMs = 200;

export interface ProgramEnd {
  /** Null when it did not end by itself. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  /** The beginning and the end of what it wrote. */
  readonly output: string;
}

/** Runs a program in the sandbox to its end, or ends it; nothing that it started goes on. */
export async function runProgram(
  { host, signal, emit }: ToolPlace,
  program: Program,
  { limitMs, isLogged }: { limitMs: number; isLogged: boolean },
): Promise<ProgramEnd> {
  const output = new BoundedText();
  const running = host.start(program);
  const kill = () => running.kill();
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  for (const name of ["stdout", "stderr"] as const) {
    const decoder = new TextDecoder();
    running[name].on("data", (chunk: Buffer) => {
      const text = decoder.decode(chunk, { stream: true });
      output.add(text);
      if (isLogged) emit({ type: "log", stream: name, text });
    });
    running[name].on("error", () => {});
  }
  const drained = Promise.all([finished(running.stdout), finished(running.stderr)]).catch(() => {});
  running.stdin.on("error", () => {});
  running.stdin.end();
  const timeLimit = new AbortController();
  try {
    const end = await Promise.race([
      running.ended,
      delay(limitMs, undefined, { signal: timeLimit.signal }).catch(() => undefined),
    ]);
    if (end === undefined) {
      kill();
      await running.ended;
    } else await Promise.race([drained, delay(drainMs)]);
    signal.throwIfAborted();
    return { exitCode: end?.exitCode ?? null, isTimedOut: end === undefined, output: output.toString() };
  } finally {
    timeLimit.abort();
    signal.removeEventListener("abort", kill);
    // Also what it left behind: while the file tools look at paths, nobody may exchange folders for links.
    kill();
  }
}

/** Keeps the beginning and the end of a text that may be endless. */
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
