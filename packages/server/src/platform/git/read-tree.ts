import type { Readable } from "node:stream";
import { discardBytes } from "../discard-bytes.ts";
import { takeTurns } from "../in-turns.ts";
import { type ListedBlob, type ListedFile, streamFilesAt } from "./read-files.ts";
import { readCommit } from "./repository.ts";
import type { Repository } from "./run-git.ts";
import { streamGit } from "./stream-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** A summary of the files of a commit. */
export interface TreeSummary {
  /** Equal for equal files. */
  readonly tree: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** When the commit was made. */
  readonly modified: Date;
}

export interface TreeFile extends ListedFile {
  /**
   * Must be read before the next file is requested; unread bytes are skipped. A chunk is only valid until the next one: copy it
   * to keep it.
   */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Very long, because a slow client sets the pace. */
const maxReadMs = 6 * 3600_000;

export async function summarizeTree(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): Promise<TreeSummary> {
  const { tree, signature } = await readCommit(repository, commit, signal);
  const [, seconds = "0"] = /> (\d+) [+-]\d{4}$/.exec(signature) ?? [];
  let [files, sizeBytes] = [0, 0];
  for await (const file of streamFilesAt(repository, commit, signal)) {
    files += 1;
    sizeBytes += file.sizeBytes;
  }
  return { tree, files, sizeBytes, modified: new Date(Number(seconds) * 1000) };
}

export interface ReadTreeOptions {
  /** Of the one file to read. */
  readonly path?: string;
  /** Ends what waits for a disk, too: a generator hears of its reader's end only with the next piece. */
  readonly signal?: AbortSignal | undefined;
}

/** All files of a commit, or the one at a path, with their bytes. */
export async function* readCommitFiles(
  repository: Repository,
  commit: string,
  { path, signal }: ReadTreeOptions = {},
): AsyncGenerator<TreeFile> {
  const files = streamFilesAt({ ...repository, limitMs: maxReadMs }, commit, signal);
  yield* readTree(repository, path === undefined ? files : only(files, path), signal);
}

async function* only(files: AsyncIterable<ListedBlob>, path: string): AsyncGenerator<ListedBlob> {
  for await (const file of files) {
    if (file.path !== path) continue;
    yield file;
    return;
  }
}

/** Streams the files of a commit with their bytes through one git process, which ends with the reader. */
export async function* readTree(
  repository: Repository,
  files: Iterable<ListedBlob> | AsyncIterable<ListedBlob>,
  signal?: AbortSignal,
): AsyncGenerator<TreeFile> {
  // No more than git takes of them at once.
  const asked: ListedBlob[] = [];
  const options = {
    input: idsOf(files, asked),
    // Git would cache 96 MB of delta bases; it is as fast with less.
    config: ["core.deltaBaseCacheLimit=4m"],
    maxWaitingChunks: 16,
    signal,
  };
  const chunks = streamGit({ ...repository, limitMs: maxReadMs }, ["cat-file", "--batch", "--buffer"], options);
  const output = new ByteReader(chunks);
  try {
    // In turns: what git has sent holds thousands of small files, for which nobody waits.
    const turn = takeTurns();
    for (let line = await output.line(); line !== undefined; line = await output.line()) {
      const file = asked.shift()!;
      await turn();
      const [, , size] = /^([0-9a-f]{40}) blob (\d+)$/.exec(line) ?? [];
      if (Number(size) !== file.sizeBytes)
        throw new WorkspaceError("repository_broken", `git did not return '${file.path}'.`, { path: file.path });
      yield { ...file, content: output.read(file.sizeBytes) };
      // Skips unread bytes and the newline.
      await output.skip(1);
    }
    if (asked.length > 0) throw endedEarly();
  } finally {
    chunks.destroy();
  }
}

/** The input of git: one id per line, in batches; notes which files it asks for. */
async function* idsOf(
  files: Iterable<ListedBlob> | AsyncIterable<ListedBlob>,
  asked: ListedBlob[],
): AsyncGenerator<Uint8Array> {
  let lines = "";
  for await (const file of files) {
    asked.push(file);
    lines += `${file.id}\n`;
    if (lines.length < 16 * 1024) continue;
    yield Buffer.from(lines);
    lines = "";
  }
  yield Buffer.from(lines);
}

/** Reads lines and counted bytes from a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** The last chunk, and its unread rest. */
  #chunk: Buffer = Buffer.alloc(0);
  #unread: Buffer = this.#chunk;
  /** Of the present file. */
  #left = 0;

  constructor(source: Readable) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#unread.indexOf(10);
      if (end !== -1) return this.#take(end + 1).toString("latin1", 0, end);
      if (!(await this.#more())) {
        if (this.#unread.length > 0) throw endedEarly();
        return undefined;
      }
    }
  }

  /** Yields a number of bytes; those that the caller leaves are skipped later. */
  read(count: number): Iterable<Buffer> | AsyncIterable<Buffer> {
    // Most files are complete in the chunk: no await is much faster.
    if (count <= this.#unread.length) return [this.#take(count)];
    this.#left = count;
    return this.#rest();
  }

  async skip(count: number): Promise<void> {
    this.#left += count;
    if (this.#left <= this.#unread.length) this.#take(this.#left);
    else for await (const _ of this.#rest());
    this.#left = 0;
  }

  async *#rest(): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      if (this.#unread.length === 0 && !(await this.#more())) throw endedEarly();
      const taken = this.#take(Math.min(this.#left, this.#unread.length));
      // Counted before the yield, after which the caller may stop.
      this.#left -= taken.length;
      yield taken;
    }
  }

  #take(count: number): Buffer {
    const taken = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return taken;
  }

  /** False at the end. */
  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) return false;
    const before = this.#chunk;
    this.#chunk = this.#unread.length === 0 ? value : Buffer.concat([this.#unread, value]);
    this.#unread = this.#chunk;
    discardBytes(before);
    return true;
  }
}

function endedEarly(): WorkspaceError {
  return new WorkspaceError("repository_broken", "git ended before it returned all files.");
}
