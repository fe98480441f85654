import { open } from "node:fs/promises";

const end = { signature: 0x06054b50, bytes: 22 };

/** What is missing of a zip that has no comment: its last record tells where the directory is, which ends there. */
export async function whyIncomplete(path: string, size: number): Promise<string | undefined> {
  const cut = "the zip is cut off";
  if (size < end.bytes) return cut;
  const file = await open(path, "r");
  try {
    const record = Buffer.alloc(end.bytes);
    await file.read(record, 0, end.bytes, size - end.bytes);
    if (record.readUInt32LE(0) !== end.signature) return cut;
    const [bytes, offset] = [record.readUInt32LE(12), record.readUInt32LE(16)];
    // Larger ones say it in other records, which stand right before this one.
    const isLarge = record.readUInt16LE(10) === 0xffff || offset === 0xffffffff;
    return isLarge || offset + bytes + end.bytes === size ? undefined : cut;
  } finally {
    await file.close();
  }
}
