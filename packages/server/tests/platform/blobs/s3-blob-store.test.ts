import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { BlobError } from "../../../src/platform/blobs/blob-store.ts";
import { openBlobBackend } from "../../../src/platform/blobs/open-blob-backend.ts";
import { FakeS3 } from "../../support/fake-s3.ts";
import { createProject, createTestApp } from "../../support/test-app.ts";

const s3 = await new FakeS3().listen();
const folder = await mkdtemp(join(tmpdir(), "slipway-s3-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const settings = {
  bucket: s3.bucket,
  endpoint: s3.url,
  region: "eu-1",
  prefix: "made/",
  isPathStyle: true,
  key: { id: "the-key", secret: "the-secret" },
};
const store = await openBlobBackend({ folder, s3: settings });
const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
const keyOf = (digest: string) => `made/${digest.slice(0, 2)}/${digest.slice(2)}`;

describe("a bucket", () => {
  test("keeps blobs by their digest, once, and gives them back whole or in parts", async () => {
    const content = randomBytes(100_000);
    for (const source of [content, pieces(content)])
      expect(await store.put(source)).toEqual({ digest: sha256(content), size: content.length });
    expect(s3.asked.filter((one) => one.startsWith("PUT"))).toHaveLength(1);
    const digest = sha256(content);
    expect(await store.has(digest)).toBe(true);
    expect((await store.read(digest)).equals(content)).toBe(true);
    const part = Buffer.concat(await Array.fromAsync(await store.open(digest, { start: 10, end: 19 })));
    expect(part.equals(content.subarray(10, 20))).toBe(true);
    expect(await readdir(join(folder, "unfinished"))).toEqual([]);
    await store.remove(digest);
    expect(await store.has(digest)).toBe(false);
    await store.remove(digest);
  });

  test("takes large blobs in parts", async () => {
    const content = randomBytes(20 * 1024 * 1024 + 7);
    const { digest } = await store.put(pieces(content));
    expect(s3.objects.get(keyOf(digest))!.equals(content)).toBe(true);
    expect((await store.read(digest)).equals(content)).toBe(true);
    expect(s3.openUploads).toBe(0);
    await store.remove(digest);
  });

  test("is asked again when it fails for a moment; for longer, that is said, and nothing half is left", async () => {
    s3.failures = 2;
    const { digest } = await store.put(Buffer.from("after a while"));
    expect((await store.read(digest)).toString()).toBe("after a while");
    s3.failures = 1000;
    const error = await store.put(Buffer.from("never")).catch((one: BlobError) => one);
    s3.failures = 0;
    expect(error).toMatchObject({ code: "store_unavailable" });
    expect(JSON.stringify(error) + String(error)).not.toContain("the-secret");
    expect(await readdir(join(folder, "unfinished"))).toEqual([]);
  });

  test("that has lost or changed a blob is found out", async () => {
    await expect(store.open("0".repeat(64))).rejects.toMatchObject({ code: "blob_missing" });
    const { digest } = await store.put(Buffer.from("as it was"));
    s3.objects.set(keyOf(digest), Buffer.from("as it is!"));
    await expect(store.read(digest)).rejects.toMatchObject({ code: "blob_changed" });
    await store.remove(digest);
  });

  test("that gives no parts is believed only where the part is all of a blob", async () => {
    const { digest } = await store.put(Buffer.from("0123456789"));
    s3.givesNoParts = true;
    onTestFinished(() => {
      s3.givesNoParts = false;
    });
    const read = async (start: number, end: number) =>
      Buffer.concat(await Array.fromAsync(await store.open(digest, { start, end }))).toString();
    expect(await read(0, 9)).toBe("0123456789");
    for (const [start, end] of [
      [0, 8],
      [1, 9],
      [1, 10],
    ] as const)
      await expect(read(start, end)).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("tells all that it has, page by page", async () => {
    s3.objects.clear();
    const kept = [];
    for (let at = 0; at < 5; at += 1) kept.push(await store.put(Buffer.from(`content ${at}`)));
    s3.objects.set("made/other", Buffer.from("not ours"));
    s3.objects.set("elsewhere", Buffer.from("not ours"));
    const found = await Array.fromAsync(store.digests());
    expect(found.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))).toEqual(
      kept.toSorted((a, b) => (a.digest < b.digest ? -1 : 1)),
    );
  });

  test("has connections for others where many readers take nothing of what they have asked for", async () => {
    const { digest } = await store.put(randomBytes(4 * 1024 * 1024));
    const idle = await Promise.all(Array.from({ length: 50 }, () => store.open(digest)));
    onTestFinished(() => {
      for (const one of idle) one.destroy();
    });
    const { digest: small } = await store.put(Buffer.from("small"));
    expect((await store.read(small)).toString()).toBe("small");
  });

  test("is not believed to have a blob of another length, or to have more pages than it has", async () => {
    s3.objects.clear();
    const content = Buffer.from("not there yet");
    s3.headsOfAll = 200;
    const { digest } = await store.put(content);
    s3.headsOfAll = undefined;
    expect((await store.read(digest)).equals(content)).toBe(true);
    s3.lastToken = "";
    expect(await Array.fromAsync(store.digests())).toHaveLength(1);
    s3.lastToken = "0";
    await expect(Array.fromAsync(store.digests())).rejects.toMatchObject({ code: "store_unavailable" });
    s3.lastToken = undefined;
  });

  test.each([
    ["another bucket", { bucket: "nothing" }],
    ["another key", { key: { id: "wrong", secret: "hidden-secret" } }],
    ["another address", { endpoint: "http://127.0.0.1:1" }],
  ])("that cannot be used is refused at the start: %s", async (_, wrong) => {
    const error = await openBlobBackend({ folder, s3: { ...settings, ...wrong } }).catch((one: Error) => one);
    expect(error).toMatchObject({
      name: "BlobError",
      message: expect.stringMatching(
        /^The bucket '\w+' of 127.0.0.1:\d+ cannot be used for artifacts: .+ Check s3_bucket/,
      ),
    });
    expect(String(error)).not.toContain("hidden-secret");
  });
});

test("a service keeps its artifacts there", async () => {
  const service = await createTestApp({ artifacts: { s3: settings } });
  const id = await createProject(service);
  const url = `/api/v1/projects/${id}/artifacts`;
  const headers = { "content-type": "text/plain" };
  await service.call({ method: "POST", url: `${url}?type=notes&path=a.txt`, headers, payload: "in the bucket" });
  expect(s3.objects.get(keyOf(sha256("in the bucket")))?.toString()).toBe("in the bucket");
  expect((await service.call({ url: `${url}/a.txt` })).body).toBe("in the bucket");
  const part = await service.call({ url: `${url}/a.txt`, headers: { range: "bytes=7-9" } });
  expect([part.statusCode, part.body]).toEqual([206, "buc"]);
  s3.failures = 1000;
  const refused = await service.call({ method: "POST", url: `${url}?type=notes&path=b.txt`, headers, payload: "b" });
  s3.failures = 0;
  expect(refused.json()).toMatchObject({ status: 503, code: "overloaded" });
  s3.givesNoParts = true;
  const whole = await service.call({ url: `${url}/a.txt`, headers: { range: "bytes=7-9" } });
  s3.givesNoParts = false;
  expect(whole.json()).toMatchObject({ status: 503, code: "overloaded" });
  // The bytes are there: nobody should restore a backup.
  s3.isLocked = true;
  const unread = await service.call({ url: `${url}/a.txt` });
  s3.isLocked = false;
  expect(unread.json()).toMatchObject({ status: 503, code: "overloaded" });
});

async function* pieces(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
}
