import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a new file that nobody else may read; when it resolves, the bytes survive a crash. Returns size and digest. */
export async function writeDurably(
  path: string,
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number; readonly digest: string }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, digest: hash.digest("hex") };
}

/** Makes the names in a folder survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
