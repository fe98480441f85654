import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { BlobError } from "../../../src/platform/blobs/blob-store.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";
import { measureDisk } from "../../../src/platform/disk-space.ts";
import { thisProcess } from "../../../src/platform/process/index.ts";

import { fastFolder } from "../../support/database/fast-folder.ts";
import { cannotFillDisk, smallDisk } from "../../support/small-disk.ts";

const folder = await mkdtemp(join(fastFolder(), "slipway-blobs-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const place = join(folder, "artifacts");
const blobs = await FolderBlobStore.open(place);

describe("a blob", () => {
  test("comes back as it was put, whole or in pieces, under the SHA-256 of its bytes", async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const whole = Buffer.concat(parts);
        const expected = { digest: digestOf(whole), size: whole.length };
        expect(await blobs.put(inPieces(parts))).toEqual(expected);
        expect(await blobs.put(whole)).toEqual(expected);
        expect(await blobs.read(expected.digest)).toEqual(whole);
        expect(await buffer(await blobs.open(expected.digest))).toEqual(whole);
      }),
      { numRuns: 50 },
    );
    expect(await readdir(join(place, "unfinished"))).toEqual([]);
  });

  test("is a file for our eyes only, named by its digest", async () => {
    const { digest } = await blobs.put(Buffer.from("for our eyes only"));
    const path = join(place, digest.slice(0, 2), digest.slice(2));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(place)).mode & 0o777).toBe(0o700);
    expect((await stat(join(place, digest.slice(0, 2)))).mode & 0o777).toBe(0o700);
  });

  test("that is known is not written again", async () => {
    const content = randomBytes(1000);
    const { digest } = await blobs.put(content);
    const path = join(place, digest.slice(0, 2), digest.slice(2));
    const { ino, mtimeMs } = await stat(path);
    await blobs.put(content);
    await blobs.put(inPieces([content]));
    expect(await stat(path)).toMatchObject({ ino, mtimeMs });
  });

  test("that is put by many at once is there once", async () => {
    const content = randomBytes(100_000);
    const puts = await Promise.all(Array.from({ length: 8 }, () => blobs.put(inPieces([content]))));
    expect(new Set(puts.map(({ digest }) => digest)).size).toBe(1);
    expect(await blobs.read(puts[0]!.digest)).toEqual(content);
  });

  test("is gone after it was removed, and removing it again does no harm", async () => {
    const { digest } = await blobs.put(Buffer.from("to be removed"));
    expect(await blobs.has(digest)).toBe(true);
    await blobs.remove(digest);
    await blobs.remove(digest);
    expect(await blobs.has(digest)).toBe(false);
    const missing = { code: "blob_missing", message: `The blob ${digest} is missing.` };
    await expect(blobs.read(digest)).rejects.toMatchObject(missing);
    await expect(blobs.open(digest)).rejects.toMatchObject(missing);
  });

  test("whose source fails is not stored, not even in part", async () => {
    async function* failing() {
      yield Buffer.from("the first half");
      throw new Error("no more");
    }
    await expect(blobs.put(failing())).rejects.toThrow("no more");
    expect(await blobs.has(digestOf(Buffer.from("the first half")))).toBe(false);
    expect(await readdir(join(place, "unfinished"))).toEqual([]);
  });
});

test.for(["", "..", "../../etc/passwd", "A".repeat(64), `${"a".repeat(64)}/..`])("'%s' is no digest", async (text) => {
  await expect(blobs.has(text)).rejects.toThrow("is not a SHA-256 digest");
  await expect(blobs.remove(text)).rejects.toThrow("is not a SHA-256 digest");
});

test("opening removes what dead processes began, and leaves what live ones are writing", async () => {
  const unfinished = join(place, "unfinished");
  // There is none of the highest number; one of our own number was another if it began at another time.
  const names = {
    live: `${hostname()}.${process.pid}-${thisProcess().startedAt}.a`,
    dead: `${hostname()}.4999999-1.a`,
    sameId: `${hostname()}.${process.pid}-1.a`,
    far: "other.2.a",
    farAndOld: "other.3.a",
  };
  for (const name of Object.values(names)) await writeFile(join(unfinished, name), "half");
  await utimes(join(unfinished, names.farAndOld), 0, 0);
  await FolderBlobStore.open(place);
  expect((await readdir(unfinished)).sort()).toEqual([names.live, names.far].sort());
  for (const name of [names.live, names.far]) await rm(join(unfinished, name));
});

test("a process killed at any moment leaves only whole blobs, and loses none that it stored", async () => {
  const killed = join(folder, "killed");
  const kept: string[] = [];
  for (let kill = 0; kill < 5; kill += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, "../../support/put-endlessly.ts"), killed], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let count = 0;
    for await (const line of createInterface(child.stdout)) {
      if (line.length === 64) kept.push(line);
      count += 1;
      if (count === 1 + kill * 5) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  const store = await FolderBlobStore.open(killed);
  expect(await readdir(join(killed, "unfinished"))).toEqual([]);
  for (const digest of kept) expect(await store.has(digest)).toBe(true);
  for (const head of (await readdir(killed)).filter((name) => name.length === 2)) {
    for (const tail of await readdir(join(killed, head))) {
      expect(digestOf(await readFile(join(killed, head, tail)))).toBe(head + tail);
    }
  }
});

test("a full disk is named, and nothing of the blob is left on it", async ({ skip }) => {
  skip(cannotFillDisk !== undefined, cannotFillDisk);
  const store = await FolderBlobStore.open(join(smallDisk("1m"), "artifacts"));
  const { digest } = await store.put(Buffer.alloc(1000, 1));
  const error = await store.put(Buffer.alloc(2_000_000, 2)).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BlobError);
  expect(error).toMatchObject({ code: "no_space", message: "There is no space left on the disk for artifacts." });
  expect(await store.read(digest)).toEqual(Buffer.alloc(1000, 1));
  await store.put(Buffer.alloc(500_000, 3));
});

async function* inPieces(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

test.skipIf(cannotFillDisk)(
  "what strangers send leaves what the disk keeps for the service, which has room all the same",
  async () => {
    const disk = smallDisk("32m");
    const store = await FolderBlobStore.open(disk);
    const room = async () => (await measureDisk(disk)).freeBytes;
    let least = await room();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        least = Math.min(least, await room());
        yield Buffer.alloc(512 * 1024, 1);
      }
    }
    await expect(store.put(endless(), { leavesReserve: true })).rejects.toMatchObject({ code: "no_space" });
    expect(least).toBeGreaterThan(1_000_000);
    await writeFile(join(disk, "ballast"), Buffer.alloc((await room()) - 1_000_000, 1));
    async function* short(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("an upload");
    }
    await expect(store.put(short(), { leavesReserve: true })).rejects.toMatchObject({ code: "no_space" });
    await store.put(Buffer.from("a report of the service"));
  },
);
