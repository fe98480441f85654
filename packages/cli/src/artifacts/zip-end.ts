import { open } from "node:fs/promises";

const end = { signature: 0x06054b50, bytes: 22 };

/** Why a zip without a comment is incomplete: its last record must name a directory that ends right before it. */
export async function zipDefect(path: string, size: number): Promise<string | undefined> {
  const truncated = "the zip is truncated";
  if (size < end.bytes) return truncated;
  const file = await open(path, "r");
  try {
    const record = Buffer.alloc(end.bytes);
    await file.read(record, 0, end.bytes, size - end.bytes);
    if (record.readUInt32LE(0) !== end.signature) return truncated;
    const [bytes, offset] = [record.readUInt32LE(12), record.readUInt32LE(16)];
    // Larger zips have this information in other records before this one.
    const isLarge = record.readUInt16LE(10) === 0xffff || offset === 0xffffffff;
    return isLarge || offset + bytes + end.bytes === size ? undefined : truncated;
  } finally {
    await file.close();
  }
}
