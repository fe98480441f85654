// @module-tag long
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error It has no types.
import S3rver from "@20minutes/s3rver";
import { afterAll, expect, test } from "vitest";
import { openBlobBackend } from "../../../src/platform/blobs/open-blob-backend.ts";

const folder = await mkdtemp(join(tmpdir(), "slipway-s3-server-"));
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory: join(folder, "buckets"),
  configureBuckets: [{ name: "artifacts" }],
  // It reckons other signatures than AWS's own library.
  allowMismatchedSignatures: true,
}) as { run(): Promise<{ port: number }>; close(): Promise<void> };
const { port } = await server.run();
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

test("a server that others have written takes, gives, lists and removes blobs, small and in parts", async () => {
  const store = await openBlobBackend({
    folder,
    s3: {
      bucket: "artifacts",
      endpoint: `http://127.0.0.1:${port}`,
      region: "us-east-1",
      prefix: "made/",
      isPathStyle: true,
      key: { id: "S3RVER", secret: "S3RVER" },
    },
  });
  const kept: { digest: string; size: number }[] = [];
  for (const size of [0, 10, 100_000, 20 * 1024 * 1024 + 7]) {
    const content = randomBytes(size);
    const digest = createHash("sha256").update(content).digest("hex");
    expect(await store.has(digest)).toBe(false);
    expect(await store.put(content)).toEqual({ digest, size });
    expect((await store.read(digest)).equals(content)).toBe(true);
    kept.push({ digest, size });
    if (size < 20) continue;
    const part = Buffer.concat(await Array.fromAsync(await store.open(digest, { start: 10, end: 19 })));
    expect(part.equals(content.subarray(10, 20))).toBe(true);
  }
  const byDigest = (one: { digest: string }, other: { digest: string }) => (one.digest < other.digest ? -1 : 1);
  expect((await Array.fromAsync(store.digests())).toSorted(byDigest)).toEqual(kept.toSorted(byDigest));
  for (const { digest } of kept) await store.remove(digest);
  expect(await Array.fromAsync(store.digests())).toEqual([]);
  await expect(store.open(kept[2]!.digest)).rejects.toMatchObject({ code: "blob_missing" });
  expect(await readdir(join(folder, "unfinished"))).toEqual([]);
});
