import { inTurns } from "../in-turns.ts";
import { FileSearch } from "./file-search.ts";
import { type SecretPatterns, secretPatterns } from "./secret-patterns.ts";

/** Shorter values occur in any file: refusing them would refuse everybody's work. */
const minLength = 8;
/** This much takes a millisecond or two; the event loop goes on between two slices. */
const maxSliceBytes = 8 * 1024;

/** Looks for known secret values in the bytes of files, written in every way in which they are masked in output. */
export class SecretFinder {
  readonly #values: readonly string[];
  readonly #patterns: SecretPatterns | undefined;
  /** What looked through other files: of long values, each takes megabytes. */
  readonly #atRest: FileSearch[] = [];

  constructor(values: Iterable<string>) {
    this.#values = [...new Set(values)].filter((value) => value.trim().length >= minLength);
    this.#patterns = secretPatterns(this.#values);
  }

  /** Whether there is nothing to look for. */
  get isIdle(): boolean {
    return this.#patterns === undefined;
  }

  /** The values that a content holds, however it is cut into chunks. */
  async findIn(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ReadonlySet<string>> {
    const search = this.#patterns && (this.#atRest.pop() ?? new FileSearch(this.#patterns));
    // In turns: thousands of small files, one after the other, take as long as a large one.
    for await (const chunk of chunks) for await (const slice of inTurns(slicesOf(chunk))) search?.read(slice);
    if (search === undefined) return new Set();
    const found = [...search.end()].map((owner) => this.#values[owner]!);
    // Not where reading failed: what was read so far would stand before the next file.
    this.#atRest.push(search);
    return new Set(found);
  }
}

function* slicesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += maxSliceBytes) yield chunk.subarray(at, at + maxSliceBytes);
}
