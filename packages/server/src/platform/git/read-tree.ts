import { PassThrough, type Readable } from "node:stream";
import { discardBytes } from "../discard-bytes.ts";
import { filesAt, type ListedBlob, type ListedFile } from "./read-files.ts";
import { readCommit } from "./repository.ts";
import { type Repository, startGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** What the files of a commit are, all together. */
export interface TreeSummary {
  /** The same for the same files. */
  readonly tree: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** When the commit was made. */
  readonly modified: Date;
}

export interface TreeFile extends ListedFile {
  /**
   * To be read before the next file is asked for; what is left is skipped. A piece is there until the next is asked for: who keeps
   * it makes a copy.
   */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Whoever downloads sets the pace: longer than the slowest is waited for. */
const maxReadMs = 6 * 3600_000;

export async function summarizeTree(repository: Repository, commit: string): Promise<TreeSummary> {
  const { tree, signature } = await readCommit(repository, commit);
  const [, seconds = "0"] = /> (\d+) [+-]\d{4}$/.exec(signature) ?? [];
  let [files, sizeBytes] = [0, 0];
  for (const file of await filesAt(repository, commit)) {
    files += 1;
    sizeBytes += file.sizeBytes;
  }
  return { tree, files, sizeBytes, modified: new Date(Number(seconds) * 1000) };
}

/** The files of a commit with their bytes, one after the other, through one git; at the end of who reads, git ends too. */
export async function* readTree(repository: Repository, files: Iterable<ListedBlob>): AsyncGenerator<TreeFile> {
  const options = {
    input: idsOf(files),
    // It would keep 96 MB of what others are made from, and is as quick with this.
    config: ["core.deltaBaseCacheLimit=4m"],
  };
  const git = startGit({ ...repository, limitMs: maxReadMs }, ["cat-file", "--batch", "--buffer"], options);
  git.done.catch(() => undefined);
  // Chunk by chunk, as they come: a stream of bytes would put those that wait together, which takes twice the memory.
  const chunks = git.stdout.pipe(new PassThrough({ readableObjectMode: true, readableHighWaterMark: 16 }));
  const output = new ByteReader(chunks);
  try {
    for (const file of files) {
      const line = await output.line();
      const [, , size] = /^([0-9a-f]{40}) blob (\d+)$/.exec(line) ?? [];
      if (Number(size) !== file.sizeBytes)
        throw new WorkspaceError("repository_broken", `git does not give '${file.path}'.`, { path: file.path });
      yield { ...file, content: output.read(file.sizeBytes) };
      // With what nobody read, and the end of the line.
      await output.skip(1);
    }
    await git.done;
  } finally {
    git.stop(new Error("Nobody reads on."));
  }
}

/** What git reads: an id a line, many at a time. */
async function* idsOf(files: Iterable<ListedBlob>): AsyncGenerator<Uint8Array> {
  let lines = "";
  for (const { id } of files) {
    lines += `${id}\n`;
    if (lines.length < 16 * 1024) continue;
    yield Buffer.from(lines);
    lines = "";
  }
  yield Buffer.from(lines);
}

/** Reads lines and counted bytes from a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** What came last, and what of it was not read yet. */
  #chunk: Buffer = Buffer.alloc(0);
  #held: Buffer = this.#chunk;
  /** Of what is being read. */
  #left = 0;

  constructor(source: Readable) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(10);
      if (end !== -1) return this.#take(end + 1).toString("latin1", 0, end);
      await this.#more();
    }
  }

  /** So many bytes. They are counted as read; those that nobody takes are skipped with what comes after them. */
  read(count: number): Iterable<Buffer> | AsyncIterable<Buffer> {
    // Most files are here already, all of them: that is much quicker than waiting for each.
    if (count <= this.#held.length) return [this.#take(count)];
    this.#left = count;
    return this.#rest();
  }

  async skip(count: number): Promise<void> {
    this.#left += count;
    if (this.#left <= this.#held.length) this.#take(this.#left);
    else for await (const _ of this.#rest());
    this.#left = 0;
  }

  async *#rest(): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      if (this.#held.length === 0) await this.#more();
      const taken = this.#take(Math.min(this.#left, this.#held.length));
      // Before it is handed out: who stops here has had it.
      this.#left -= taken.length;
      yield taken;
    }
  }

  #take(count: number): Buffer {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw new WorkspaceError("repository_broken", "git ended before it gave all files.");
    const before = this.#chunk;
    this.#chunk = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    this.#held = this.#chunk;
    discardBytes(before);
  }
}
