import { askOnce, type ThreadBounds } from "../../platform/bounded-thread.ts";
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

/**
 * Reads a text that a project made, of any size, without holding the service up: a large one in a thread of its own. Refuses
 * one that takes too much time or memory.
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
      : await askOnce<ToRead, unknown>(entry, { ...defaults, ...bounds }, { reader, args }, signal);
  if ("answer" in told) return told.answer as Found<Reader>;
  throw new FileRefusal("too_large", path, `${told.error}.`);
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
