import { randomBytes } from "node:crypto";
import { FolderBlobStore } from "../../src/platform/blobs/folder-blob-store.ts";

// Puts blobs into the folder, several at once, until it is killed; prints the digest of each that is kept.
const blobs = await FolderBlobStore.open(process.argv[2]!);
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (;;) {
      const { digest } = await blobs.put(pieces());
      process.stdout.write(`${digest}\n`);
    }
  }),
);

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 20; piece += 1) yield randomBytes(5_000);
}
