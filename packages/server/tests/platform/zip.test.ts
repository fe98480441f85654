// @module-tag soak

import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { lstat, mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import yauzl from "yauzl";
import { soakRuns } from "../../../../tools/soak-runs.ts";
import { BlockPool, blockBytes } from "../../src/platform/zip/block-pool.ts";
import { type ZipEntry, zipStream } from "../../src/platform/zip/index.ts";
import { safeName } from "../../src/platform/zip/safe-name.ts";
import { dataDescriptor, directoryEntry, endOfDirectory, localHeader } from "../../src/platform/zip/zip-records.ts";

const folder = await mkdtemp(join(tmpdir(), "slipway-zip-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const modified = new Date("2026-11-15T09:30:21.000Z");

describe("a zip", () => {
  test("holds any files, byte for byte, whatever their sizes and however they are cut", { tags: "long" }, async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      // Around the size of a block.
      fc.integer({ min: 524_280, max: 524_300 }).map((length) => randomBytes(length)),
      fc.integer({ min: 1_000_000, max: 1_600_000 }).map((length) => Buffer.alloc(length, "all the same ")),
    );
    const file = fc.record({
      path: fc.constantFrom("a.txt", "b/c.png", "ü/日本.js", "d"),
      content,
      cut: fc.integer({ min: 1, max: 700_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 5 }), async (files) => {
        const named = files.map(({ path, ...rest }, at) => ({ path: `${at}/${path}`, ...rest }));
        const zip = await zipOf(named.map(({ path, content, cut }) => entry(path, content, { cut })));
        const found = await read(zip);
        expect(found.map(({ name }) => name)).toEqual(named.map(({ path }) => path));
        for (const [at, { content }] of named.entries()) expect(found[at]!.content.equals(content)).toBe(true);
      }),
      { numRuns: soakRuns(30) },
    );
  });

  test("is read by the unzip program, with modes, links and names in any script", async () => {
    const path = join(folder, "modes.zip");
    const entries = [
      entry("plain.txt", Buffer.from("plain")),
      entry("bin/run.sh", Buffer.from("#!/bin/sh\n"), { kind: "executable" }),
      entry("bin/link", Buffer.from("../plain.txt"), { kind: "link" }),
      entry("größe/日本語 🚢.txt", Buffer.from("name")),
      entry("large.bin", randomBytes(3_000_000)),
      entry("empty", Buffer.alloc(0)),
    ];
    await pipeline(Readable.from(zipStream(entries)), createWriteStream(path));
    execFileSync("unzip", ["-tqq", path]);
    const out = join(folder, "modes");
    execFileSync("unzip", ["-qq", path, "-d", out], { env: { ...process.env, TZ: "UTC", LC_ALL: "C.UTF-8" } });
    expect((await lstat(join(out, "bin/run.sh"))).mode & 0o777).toBe(0o755);
    expect((await lstat(join(out, "plain.txt"))).mode & 0o777).toBe(0o644);
    expect((await lstat(join(out, "plain.txt"))).mtime).toEqual(modified);
    expect(await readlink(join(out, "bin/link"))).toBe("../plain.txt");
    expect(await readFile(join(out, "bin/link"), "utf8")).toBe("plain");
    expect(await readdir(join(out, "größe"))).toEqual(["日本語 🚢.txt"]);
  });

  test("of the same files has the same bytes, however they are cut and whatever was zipped before", async () => {
    const content = randomBytes(1_200_000);
    const text = await readFile(fileURLToPath(import.meta.url));
    const make = (cut: number) =>
      zipOf([
        entry("a", content, { cut }),
        entry("a.png", content, { cut }),
        entry("b.png", content.subarray(0, 9_000), { cut }),
        // Each comes after longer ones of the same text: what was compressed before would show at their ends.
        ...Array.from({ length: 500 }, (_, at) =>
          entry(`${at}.txt`, text.subarray(0, (at * 7919) % text.length), { cut }),
        ),
      ]);
    const first = digest(await make(1000));
    const both = await Promise.all([make(333_333), make(65_536)]);
    expect(both.map(digest)).toEqual([first, first]);
  });

  test("keeps what is compressed already as it is", async () => {
    const [png, text] = await read(
      await zipOf([entry("a.png", Buffer.alloc(9_000)), entry("a.txt", Buffer.alloc(9_000))]),
    );
    expect([png!.method, text!.method]).toEqual([0, 8]);
  });

  test("of files that are not as long as promised fails, and does not end as if all were well", async () => {
    for (const sizeBytes of [0, 3, 5])
      await expect(zipOf([{ ...entry("a", Buffer.from("four")), sizeBytes }])).rejects.toThrow("announced");
  });

  test("stops reading when nobody wants the rest", async () => {
    let reads = 0;
    let hasEnded = false;
    async function* endless() {
      try {
        for (;;) {
          reads += 1;
          yield randomBytes(64 * 1024);
        }
      } finally {
        hasEnded = true;
      }
    }
    for await (const _ of zipStream([{ ...entry("a.png", Buffer.alloc(0)), sizeBytes: 2 ** 40, content: endless() }]))
      break;
    expect(hasEnded).toBe(true);
    // What is held is bounded: a few blocks of half a megabyte.
    expect(reads).toBeLessThan(200);
  });

  test("gives the memory of its blocks back at its end, so that downloads in a row do not add up", async () => {
    const pool = new BlockPool();
    const used = pool.take(10);
    used.release();
    for await (const _ of zipStream([entry("a.txt", randomBytes(3 * blockBytes))], pool))
      expect(used.data.byteLength).toBe(10);
    expect(used.data.byteLength).toBe(0);
  });

  test("frees a block that is still being compressed only when it is released", () => {
    const pool = new BlockPool();
    const [first, second] = [pool.take(blockBytes), pool.take(blockBytes)];
    first.release();
    pool.close();
    expect([first, second].map(({ data }) => data.byteLength)).toEqual([0, blockBytes]);
    second.release();
    expect(second.data.byteLength).toBe(0);
  });

  test("of 70,000 files says how many they are", { tags: "long" }, async () => {
    const path = join(folder, "many.zip");
    const entries = Array.from({ length: 70_000 }, (_, at) => entry(`f${at}`, Buffer.alloc(0)));
    await pipeline(Readable.from(zipStream(entries)), createWriteStream(path));
    expect(
      execFileSync("unzip", ["-Z1", path], { maxBuffer: 2 ** 24 })
        .toString()
        .trim()
        .split("\n").length,
    ).toBe(70_000);
  });

  test("beyond four gigabytes has its sizes and places in eight bytes", async () => {
    const size = 5 * 1024 ** 3;
    const head = { name: Buffer.from("big"), mode: 0o100644, modified, isCompressed: false, isLarge: true };
    const written = { ...head, crc: 7, bytes: size, compressedBytes: size };
    expect(dataDescriptor(written).readBigUInt64LE(16)).toBe(BigInt(size));
    expect(localHeader(head, undefined).readUInt32LE(18)).toBe(0xffffffff);
    const record = directoryEntry({ ...written, offset: size, hasDescriptor: true });
    expect(record.readUInt32LE(42)).toBe(0xffffffff);
    const extra = record.subarray(46 + 3);
    expect([extra.readUInt16LE(0), extra.readUInt16LE(2)]).toEqual([1, 24]);
    expect([4, 12, 20].map((at) => Number(extra.readBigUInt64LE(at)))).toEqual([size, size, size]);
    const end = endOfDirectory({ entries: 1, bytes: record.length, offset: size });
    expect(end.readUInt32LE(0)).toBe(0x06064b50);
    expect(Number(end.readBigUInt64LE(48))).toBe(size);
  });

  test.runIf(process.env["SLIPWAY_LONG"] === "1").each([
    ["compressed", "huge.txt"],
    ["as it is", "huge.png"],
  ])(
    "of a file beyond four gigabytes, %s, is read by the unzip program",
    async (_, name) => {
      const path = join(folder, `${name}.zip`);
      const block = Buffer.alloc(1024 * 1024, "some text ");
      async function* content() {
        for (let at = 0; at < 4_200; at += 1) yield block;
      }
      const huge = { ...entry(name, Buffer.alloc(0)), sizeBytes: 4_200 * block.length, content: content() };
      await pipeline(Readable.from(zipStream([huge, entry("after", Buffer.from("x"))])), createWriteStream(path));
      execFileSync("unzip", ["-tqq", path]);
      await rm(path);
    },
    300_000,
  );
});

describe("the name of an entry", () => {
  const hostile = [
    "../evil",
    "../../evil",
    "a/../../evil",
    "/etc/passwd",
    "//evil",
    "./../evil",
    "..\\evil",
    "a\\..\\..\\evil",
    "C:\\evil",
    "C:/evil",
    "c:evil",
    "\\\\server\\share",
    "..",
    ".",
    "",
    "a//b",
    "a/./b",
    "a/..",
    "\0",
    "a\0b",
    "\u202e",
    "a\nb",
    ".\\.",
    "..\\..",
    "....//evil",
    "..;/evil",
    "\ud800",
    "a/\\/b",
    "/",
    "\\",
    "../",
    "..//",
    "CON",
    "a:b",
    "%2e%2e/evil",
    "．．/evil",
    "..\u0000/evil",
    "/..",
    "/../..",
    "~/evil",
    "a/../b",
  ];
  test.each(hostile)("leads nowhere but below: %j", (path) => {
    const name = safeName(path, new Map());
    const parts = name.split("/");
    expect(name).not.toMatch(/^\/|\\|^[a-zA-Z]:|\p{Cc}/u);
    expect(parts.filter((part) => part === "" || part === "." || part === "..")).toEqual([]);
    expect(name.isWellFormed()).toBe(true);
  });

  test("is told apart from another that becomes the same", () => {
    const taken = new Map<string, number>();
    expect(["a\\b", "a_b", "a\\b"].map((path) => safeName(path, taken))).toEqual(["a_b", "a_b~2", "a_b~3"]);
    expect(["a_b~4", "a_b", "a_b~4"].map((path) => safeName(path, taken))).toEqual(["a_b~4", "a_b~5", "a_b~4~2"]);
  });

  test("is found for thousands that become the same without going through all of them", () => {
    let lookups = 0;
    const taken = new (class extends Map<string, number> {
      override has(name: string): boolean {
        lookups += 1;
        return super.has(name);
      }
    })();
    const names = Array.from({ length: 5_000 }, () => safeName("\u0001", taken));
    expect(new Set(names).size).toBe(5_000);
    expect(lookups).toBeLessThan(15_000);
  });
});

function entry(
  path: string,
  content: Buffer,
  { kind = "file", cut = 65_536 }: { kind?: ZipEntry["kind"]; cut?: number } = {},
): ZipEntry {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += cut) pieces.push(content.subarray(at, at + cut));
  return { path, kind, modified, sizeBytes: content.length, content: pieces };
}

async function zipOf(entries: readonly ZipEntry[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(zipStream(entries)));
}

async function read(zip: Buffer) {
  const file = await yauzl.fromBufferPromise(zip);
  const found: { name: string; content: Buffer; method: number }[] = [];
  for await (const one of file.eachEntry()) {
    const stream = await file.openReadStreamPromise(one);
    found.push({
      name: one.fileName,
      method: one.compressionMethod,
      content: Buffer.concat(await Array.fromAsync(stream)),
    });
  }
  return found;
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
