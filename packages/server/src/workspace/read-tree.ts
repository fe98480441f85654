import { PassThrough, type Readable } from "node:stream";
import { discardBytes } from "../discard-bytes.ts";
import { type ListedFile, listFilesAt } from "./read-files.ts";
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
  readonly content: AsyncIterable<Uint8Array>;
}

/** Whoever downloads sets the pace: longer than the slowest is waited for. */
const longestReadMs = 6 * 3600_000;

export async function summarizeTree(repository: Repository, commit: string): Promise<TreeSummary> {
  const { tree, signature } = await readCommit(repository, commit);
  const files = await listFilesAt(repository, commit);
  const [, seconds = "0"] = /> (\d+) [+-]\d{4}$/.exec(signature) ?? [];
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return { tree, files: files.length, sizeBytes, modified: new Date(Number(seconds) * 1000) };
}

/** The files of a commit with their bytes, one after the other, through one git; at the end of who reads, git ends too. */
export async function* readTree(
  repository: Repository,
  files: readonly (ListedFile & { readonly id: string })[],
): AsyncGenerator<TreeFile> {
  if (files.length === 0) return;
  const input = files.map(({ id }) => `${id}\n`).join("");
  const git = startGit({ ...repository, limitMs: longestReadMs }, ["cat-file", "--batch", "--buffer"], { input });
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
      const content = output.bytes(file.sizeBytes);
      yield { ...file, content };
      // What nobody read.
      for await (const _ of content);
      await output.skip(1);
    }
    await git.done;
  } finally {
    git.stop(new Error("Nobody reads on."));
  }
}

/** Reads lines and counted bytes from a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** What came last, and what of it was not read yet. */
  #chunk: Buffer = Buffer.alloc(0);
  #held: Buffer = this.#chunk;

  constructor(source: Readable) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(10);
      if (end !== -1) {
        const text = this.#held.toString("latin1", 0, end);
        this.#held = this.#held.subarray(end + 1);
        return text;
      }
      await this.#more();
    }
  }

  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#held.length === 0) await this.#more();
      const taken = this.#held.subarray(0, left);
      // Before it is handed out: who stops here has had it.
      this.#held = this.#held.subarray(taken.length);
      left -= taken.length;
      yield taken;
    }
  }

  async skip(count: number): Promise<void> {
    for await (const _ of this.bytes(count));
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
