import { findWrittenLines, type WrittenLines } from "@slipway/spec";
import { askOnce } from "../../platform/bounded-thread.ts";
import { isSimpleYaml } from "../../platform/is-simple-yaml.ts";

/** A document's text, and what is looked for in it. */
export interface LinesToFind {
  readonly content: Uint8Array;
  readonly pointers: readonly string[];
  readonly environment: string | null;
}

type Found = ReadonlyMap<string, WrittenLines>;

/** Reading a smaller document takes less than handing it to a thread. */
const maxInlineBytes = 32 * 1024;
const bounds = { cpuLimitMs: 20_000, heapMb: 512 };

/** Finds lines of a document by their JSON Pointers without holding the service up; none, if that takes too long. */
export async function readWrittenLines(toFind: LinesToFind): Promise<Found> {
  const { content, pointers, environment } = toFind;
  if (content.length <= maxInlineBytes && isSimpleYaml(content))
    return findWrittenLines(content, pointers, environment);
  const entry = new URL("./line-thread.ts", import.meta.url);
  const found = await askOnce<LinesToFind, Found>(entry, bounds, toFind, new AbortController().signal);
  return "answer" in found ? found.answer : new Map();
}
