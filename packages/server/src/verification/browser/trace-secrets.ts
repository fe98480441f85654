import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";

const inflate = promisify(inflateRaw);

const endRecord = 0x0605_4b50;
const entryRecord = 0x0201_4b50;
const maxEntries = 20_000;
const maxEntryBytes = 64 * 1024 * 1024;
const maxAllBytes = 256 * 1024 * 1024;

/**
 * The contents of a zip, one after the other; throws where it cannot be read, or is too large.
 * They are unpacked in other threads: 64 MB of a page may fit into 60 KB.
 */
export async function* contentsOf(zip: Buffer): AsyncGenerator<Buffer> {
  const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006", "latin1"));
  if (end === -1 || zip.readUInt32LE(end) !== endRecord) throw new Error("not a zip");
  const count = zip.readUInt16LE(end + 10);
  if (count > maxEntries) throw new Error("too many entries");
  let at = zip.readUInt32LE(end + 16);
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    if (zip.readUInt32LE(at) !== entryRecord) throw new Error("not a zip");
    const method = zip.readUInt16LE(at + 10);
    const packedBytes = zip.readUInt32LE(at + 20);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + packedBytes);
    const content = method === 0 ? packed : await inflate(packed, { maxOutputLength: maxEntryBytes });
    bytes += content.length;
    if (bytes > maxAllBytes) throw new Error("too large");
    yield content;
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}
