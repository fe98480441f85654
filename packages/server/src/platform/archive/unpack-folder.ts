import { chmod, mkdir, open, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { blockBytes, kinds, paddingOf, readHeader, type TarHeader } from "./tar-header.ts";

const maxPaxBytes = 1024 * 1024;

/**
 * Unpacks a tar archive into a folder; returns the number of files and links. It refuses paths that leave the folder, and
 * creates links last, so that nothing is written through one.
 */
export async function unpackFolder(archive: AsyncIterable<Uint8Array>, folder: string): Promise<number> {
  const bytes = new ByteReader(archive);
  const links: TarHeader[] = [];
  let files = 0;
  let pax = new Map<string, string>();
  for (;;) {
    const block = await bytes.take(blockBytes);
    const plain = readHeader(block);
    if (plain === undefined) break;
    if (plain.kind === kinds.pax || plain.kind === kinds.globalPax) {
      if (plain.size > maxPaxBytes) throw new Error("The archive has a header that is too long.");
      const content = await bytes.take(plain.size);
      await bytes.take(paddingOf(plain.size));
      if (plain.kind === kinds.pax) pax = readPax(content);
      continue;
    }
    const header = withPax(plain, pax);
    pax = new Map();
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

function withPax(header: TarHeader, pax: ReadonlyMap<string, string>): TarHeader {
  return {
    ...header,
    path: pax.get("path") ?? header.path,
    target: pax.get("linkpath") ?? header.target,
    size: Number(pax.get("size") ?? header.size),
  };
}

function readPax(content: Buffer): Map<string, string> {
  const pax = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString("latin1", at, at + 20), 10);
    if (!(length > 0)) break;
    const [, name = "", value = ""] = /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(content.toString("utf8", at, at + length)) ?? [];
    pax.set(name, value);
    at += length;
  }
  return pax;
}

function requireInside(path: string): void {
  const parts = path.split("/");
  if (path === "" || path.startsWith("/") || parts.includes("..") || parts.some((part) => /^\.git$/i.test(part)))
    throw new Error(`The archive's '${path}' is not a path inside the folder.`);
}

/** Reads counted bytes from a stream of chunks. */
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
