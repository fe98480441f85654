import { BoundedThread, type ThreadAnswer, type ThreadBounds } from "../../platform/bounded-thread.ts";
import { FairTurns } from "../../platform/fair-turns.ts";
import { shortened } from "../../platform/one-line.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { answer, type Readers, type ToRead } from "./readers.ts";

interface Source {
  /** What people call the text. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly bounds?: Partial<ThreadBounds>;
  /** Also a small text may take long, such as one that is parsed as code. */
  readonly isSlow?: boolean;
}

/** What a reader finds. */
export type Found<Reader extends keyof Readers> = Awaited<ReturnType<Readers[Reader]>>;

const entry = new URL("./reading-thread.ts", import.meta.url);
/** A smaller text is read before a thread has started: the worst of them takes some 50 ms. */
const maxInlineLength = 128 * 1024;
const defaults: ThreadBounds = { cpuLimitMs: 60_000, heapMb: 1_024 };
/** So many threads read at once, whatever is verified: each may take all of its heap. */
const turns = new FairTurns(["one thread", "another"]);
/** How long each verification, which has a signal of its own, had the threads so far. */
const usedMs = new WeakMap<AbortSignal, number>();

/**
 * Reads a text that a project made, of any size, without holding the service up: a large one in a thread of its own, once it
 * has a turn. Refuses one that takes too much time or memory; waiting does not count.
 */
export async function readBounded<Reader extends keyof Readers>(
  reader: Reader,
  args: Readonly<Parameters<Readers[Reader]>>,
  { path, signal, bounds, isSlow = false }: Source,
): Promise<Found<Reader>> {
  signal.throwIfAborted();
  const told =
    !isSlow && lengthOf(args) <= maxInlineLength
      ? await readHere({ reader, args })
      : await readInTurn({ reader, args }, { ...defaults, ...bounds }, signal);
  if ("answer" in told) return told.answer as Found<Reader>;
  throw new FileRefusal("too_large", path, `${told.error}.`);
}

/** A verification whose texts take long has its next turn after those that need little. */
async function readInTurn(toRead: ToRead, bounds: ThreadBounds, signal: AbortSignal): Promise<ThreadAnswer<unknown>> {
  const { take, leave } = turns.join(usedMs.get(signal) ?? 0);
  const thread = new BoundedThread<ToRead, unknown>(entry, bounds);
  try {
    await take(signal);
    const startMs = performance.now();
    try {
      return await thread.ask(toRead, signal);
    } finally {
      usedMs.set(signal, (usedMs.get(signal) ?? 0) + performance.now() - startMs);
    }
  } finally {
    // Nobody waits for its end but the next one in turn: until then it has its memory.
    void thread.close().finally(leave);
  }
}

/** About what an entry of a list takes. */
const entryLength = 100;

function lengthOf(args: readonly unknown[]): number {
  const lengths = args.map((one) => {
    if (typeof one === "string" || one instanceof Uint8Array) return one.length;
    return Array.isArray(one) ? entryLength * one.length : 0;
  });
  return lengths.reduce((all, length) => all + length, 0);
}

async function readHere(toRead: ToRead) {
  try {
    return { answer: await answer(toRead) };
  } catch (error) {
    return { error: shortened((error as Error).message, 200) };
  }
}
