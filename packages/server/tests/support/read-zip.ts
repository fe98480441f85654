import yauzl from "yauzl";

/** The entries of a zip, in order. */
export async function readZip(bytes: Buffer): Promise<{ name: string; mode: number; text: string }[]> {
  const file = await yauzl.fromBufferPromise(bytes);
  const found: { name: string; mode: number; text: string }[] = [];
  for await (const entry of file.eachEntry()) {
    const content = Buffer.concat(await Array.fromAsync(await file.openReadStreamPromise(entry)));
    found.push({ name: entry.fileName, mode: entry.externalFileAttributes >>> 16, text: content.toString("utf8") });
  }
  return found;
}
