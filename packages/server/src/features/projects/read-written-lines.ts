import { findLineNumbers } from "@slipway/spec";
import { BoundedThread } from "../../platform/bounded-thread.ts";

/** A document's text, and what is looked for in it. */
export interface LinesToFind {
  readonly content: Uint8Array;
  readonly pointers: readonly string[];
  readonly environment: string | null;
}

type LineNumbers = ReadonlyMap<string, number>;

/** Reading a smaller document takes less than handing it to a thread. */
const maxInlineBytes = 32 * 1024;
const bounds = { limitMs: 20_000, heapMb: 512 };

/** Finds the lines of a document without holding the service up; none, if that takes too long. */
export async function readLineNumbers(toFind: LinesToFind): Promise<LineNumbers> {
  const { content, pointers, environment } = toFind;
  if (content.length <= maxInlineBytes) return findLineNumbers(content, pointers, environment);
  const thread = new BoundedThread<LinesToFind, LineNumbers>(new URL("./line-thread.ts", import.meta.url), bounds);
  try {
    const found = await thread.ask(toFind, new AbortController().signal);
    return "answer" in found ? found.answer : new Map();
  } finally {
    thread.close();
  }
}
