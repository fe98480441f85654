import { chmod, mkdir, open, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { blockBytes, kinds, paddingOf, readHeader, type TarHeader } from "./tar-header.ts";

/** Long enough for any words before an entry. */
const maxWordsBytes = 1024 * 1024;

/**
 * Fills a folder with the files of a tar archive; gives how many there were, links among them. None may lead out of it, and
 * links come last: nothing is written through one.
 */
export async function unpackFolder(archive: AsyncIterable<Uint8Array>, folder: string): Promise<number> {
  const bytes = new ByteReader(archive);
  const links: TarHeader[] = [];
  let files = 0;
  let words = new Map<string, string>();
  for (;;) {
    const block = await bytes.take(blockBytes);
    const plain = readHeader(block);
    if (plain === undefined) break;
    if (plain.kind === kinds.words || plain.kind === kinds.wordsForAll) {
      if (plain.size > maxWordsBytes) throw new Error("The archive has a header that is too long.");
      const content = await bytes.take(plain.size);
      await bytes.take(paddingOf(plain.size));
      if (plain.kind === kinds.words) words = readWords(content);
      continue;
    }
    const header = withWords(plain, words);
    words = new Map();
    requireInside(header.path);
    if (header.kind === kinds.link) links.push(header);
    else if (header.kind === kinds.folder) await mkdir(join(folder, header.path), { recursive: true });
    else if (header.kind === kinds.file) {
      await writeEntry(bytes, header, join(folder, header.path));
      files += 1;
    } else throw new Error(`The archive's '${header.path}' is neither a file nor a link nor a folder.`);
  }
  for (const { path, target } of links) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(target, join(folder, path));
  }
  return files + links.length;
}

async function writeEntry(bytes: ByteReader, { size, mode }: TarHeader, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "wx");
  try {
    for await (const chunk of bytes.upTo(size)) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
  if ((mode & 0o100) !== 0) await chmod(path, 0o755);
  await bytes.take(paddingOf(size));
}

function withWords(header: TarHeader, words: ReadonlyMap<string, string>): TarHeader {
  return {
    ...header,
    path: words.get("path") ?? header.path,
    target: words.get("linkpath") ?? header.target,
    size: Number(words.get("size") ?? header.size),
  };
}

function readWords(content: Buffer): Map<string, string> {
  const words = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString("latin1", at, at + 20), 10);
    if (!(length > 0)) break;
    const [, name = "", value = ""] = /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(content.toString("utf8", at, at + length)) ?? [];
    words.set(name, value);
    at += length;
  }
  return words;
}

function requireInside(path: string): void {
  const parts = path.split("/");
  if (path === "" || path.startsWith("/") || parts.includes("..") || parts.some((part) => /^\.git$/i.test(part)))
    throw new Error(`The archive's '${path}' does not belong into a project's folder.`);
}

/** Bytes that come in pieces, taken in others. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #left: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.upTo(count)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async *upTo(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.#left.length === 0) {
        const { value, done } = await this.#source.next();
        if (done) throw new Error("The archive ends too early.");
        this.#left = Buffer.from(value);
      }
      const chunk = this.#left.subarray(0, missing);
      this.#left = this.#left.subarray(chunk.length);
      missing -= chunk.length;
      yield chunk;
    }
  }
}
