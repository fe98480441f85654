import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LeftOut, unpackFolder } from "../../src/platform/archive/index.ts";
import { writeHeaders } from "../../src/platform/archive/pax-header.ts";
import { kinds, writeHeader } from "../../src/platform/archive/tar-header.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-tar-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const longName = `${"a-long-folder-name/".repeat(9)}${"ä-long-file-name-".repeat(9)}.txt`;

function fill(folder: string): void {
  const files: Record<string, string> = { "a.txt": "a", "run.sh": "#!/bin/sh\n", [longName]: "long", "empty/x": "" };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(join(folder, "large.bin"), Buffer.alloc(300_000, "large"));
  chmodSync(join(folder, "run.sh"), 0o755);
  symlinkSync(longName, join(folder, "a link with a target longer than a header holds"));
}

async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return [path, `→ ${await readlink(path)}`];
    if (entry.isDirectory()) return [path, "folder"];
    const mode = (await stat(path)).mode & 0o100 ? "x" : "-";
    return [path, mode + (await readFile(path, "base64"))];
  });
  return Object.fromEntries((await Promise.all(found)).map(([path, what]) => [path!.slice(folder.length), what!]));
}

const pack = (folder: string, ...options: string[]) =>
  execFileSync("tar", ["-c", ...options, "-C", folder, "."], { maxBuffer: 10_000_000 });

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("an archive", () => {
  // bsdtar writes pax headers where ustar does not suffice, as GNU tar does with 'posix'.
  test.each([[], ["--format=gnu"], ["--format=posix"], ["--format=oldgnu"], ["--xattrs", "--format=posix"]])(
    "that tar %s has written is unpacked as it was, in pieces of any size",
    async (...options) => {
      const folder = newFolder();
      fill(folder);
      const bytes = pack(folder, ...options);
      for (const size of [bytes.length, 65_536, 700, 511]) {
        const copy = newFolder();
        expect(await unpackFolder(pieces(bytes, size), copy)).toBe(6);
        expect(await contentOf(copy)).toEqual(await contentOf(folder));
      }
    },
  );

  test.each(["--format=v7", "--format=ustar"])("of the old form %s is unpacked too", async (option) => {
    const folder = newFolder();
    writeFileSync(join(folder, "a.txt"), "a");
    const copy = newFolder();
    await unpackFolder(pieces(pack(folder, option), 700), copy);
    expect(await contentOf(copy)).toEqual(await contentOf(folder));
  });

  test("that is cut off anywhere is refused", async () => {
    const folder = newFolder();
    fill(folder);
    const bytes = pack(folder);
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    for (const size of [0, 1, 512, 1024, 5 * 512, end, end - 1])
      await expect(unpackFolder(pieces(bytes.subarray(0, size), 700), newFolder()), String(size)).rejects.toThrow(
        "ends too early",
      );
  });

  test("of hard links is refused with the remedy, which works", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "a"), "a");
    linkSync(join(folder, "a"), join(folder, "b"));
    await expect(unpackFolder(pieces(pack(folder), 700), newFolder())).rejects.toThrow("--hard-dereference");
    const copy = newFolder();
    await unpackFolder(pieces(pack(folder, "--hard-dereference"), 700), copy);
    expect(await contentOf(copy)).toEqual(await contentOf(folder));
  });

  test.each(["gnu", "posix"])("of sparse files (%s) is refused rather than unpacked wrongly", async (format) => {
    const folder = newFolder();
    writeFileSync(join(folder, "sparse"), "x");
    truncateSync(join(folder, "sparse"), 10_000_000);
    const bytes = pack(folder, "--sparse", `--format=${format}`);
    await expect(unpackFolder(pieces(bytes, 700), newFolder())).rejects.toThrow(/sparse|neither a file/);
  });

  test.each([
    ["a", "a/b"],
    ["a", "a/c/d"],
    ["a/b", "a"],
    ["a", "./a//b"],
  ])("with the links %s and %s is refused: nothing is created through a link", async (...paths) => {
    const outside = newFolder();
    const headers = paths.map((path) => writeHeader({ path, mode: 0o777, size: 0, kind: kinds.link, target: outside }));
    const bytes = Buffer.concat([...headers, Buffer.alloc(1024)]);
    await expect(unpackFolder(pieces(bytes, 700), newFolder())).rejects.toThrow("EEXIST");
    expect(await readdir(outside)).toEqual([]);
  });

  test("of a stranger may have so many files and folders, with those that its paths name, and no more", async () => {
    const header = (path: string, kind: string) => writeHeader({ path, mode: 0o755, size: 0, kind, target: "" });
    const paths = ["a/b/c/", "a/b/d", "./a//b/e"].map((path) =>
      header(path, path.endsWith("/") ? kinds.folder : kinds.file),
    );
    const bytes = Buffer.concat([...paths, Buffer.alloc(1024)]);
    expect(await unpackFolder(pieces(bytes, 700), newFolder(), { maxEntries: 5 })).toBe(2);
    const folder = newFolder();
    await expect(unpackFolder(pieces(bytes, 700), folder, { maxEntries: 2 })).rejects.toThrow(
      "The archive has more than 2 files and folders.",
    );
    expect(await readdir(folder)).toEqual([]);
    await expect(unpackFolder(pieces(bytes, 700), newFolder(), { maxEntries: 4 })).rejects.toThrow("more than 4");
  });

  test.each([
    ["many links", 80_000, 9],
    ["long links", 25_000, 4_000],
  ])("of %s is read with little memory", { tags: "long", timeout: 120_000 }, (_, count, targetLength) => {
    const source = (name: string) =>
      JSON.stringify(new URL(`../../src/platform/archive/${name}.ts`, import.meta.url).href);
    // Its end fails, so that no link is made.
    const text = `import { unpackFolder } from ${source("index")};
import { writeHeaders } from ${source("pax-header")};
import { kinds } from ${source("tar-header")};
const target = "t".repeat(${targetLength});
async function* archive() {
  for (let n = 0; n < ${count}; n += 1)
    yield* writeHeaders({ path: "link-" + n, mode: 0o777, size: 0, kind: kinds.link, target });
  throw new Error("all links were read");
}
await unpackFolder(archive(), process.argv[1]).catch((error) => console.log(error.message));`;
    const args = ["--max-old-space-size=72", "--no-warnings", "--input-type=module", "-e", text, newFolder()];
    const ended = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(ended.stdout, ended.stderr.slice(0, 300)).toBe("all links were read\n");
  });

  test("of more links than are held in memory has each of them, and leaves nothing else", {
    tags: "long",
  }, async () => {
    const targets = Array.from({ length: 600 }, (_, n) => `${n}\n\r\u2028 ü${"t".repeat(3_000)}`);
    async function* archive(): AsyncGenerator<Uint8Array> {
      for (const [n, target] of targets.entries())
        yield* writeHeaders({ path: `in/link-${n}`, mode: 0o777, size: 0, kind: kinds.link, target });
      yield Buffer.alloc(1024);
    }
    const folder = newFolder();
    expect(await unpackFolder(archive(), folder)).toBe(600);
    expect(await readdir(folder)).toEqual(["in"]);
    const found = targets.map((_, n) => readlink(join(folder, `in/link-${n}`)));
    expect(await Promise.all(found)).toEqual(targets);
  });

  test("with a link to a path that no system takes is refused before the rest is read", { tags: "long" }, async () => {
    let isReadOn = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield* writeHeaders({ path: "link", mode: 0o777, size: 0, kind: kinds.link, target: "t".repeat(5_000) });
      for (let n = 0; n < 2_000; n += 1)
        yield* writeHeaders({ path: `f-${n}`, mode: 0o644, size: 0, kind: kinds.file, target: "" });
      isReadOn = true;
      yield Buffer.alloc(1024);
    }
    await expect(unpackFolder(endless(), newFolder())).rejects.toThrow("leads to a path longer than 4095 bytes");
    expect(isReadOn).toBe(false);
    const leftOut: string[] = [];
    const onLeftOut = ({ path, reason }: LeftOut) => leftOut.push(`${path} ${reason}`);
    expect(await unpackFolder(endless(), newFolder(), { onLeftOut })).toBe(2_000);
    expect(leftOut).toEqual(["link cannot be written here (ENAMETOOLONG)"]);
  });

  test("with an entry that claims to be larger than the archive is refused as cut off", async () => {
    const headers = [...writeHeaders({ path: "giant", mode: 0o644, size: 8 ** 12, kind: kinds.file, target: "" })];
    const bytes = Buffer.concat([...headers, Buffer.alloc(1024)]);
    await expect(unpackFolder(pieces(bytes, 700), newFolder())).rejects.toThrow("The archive ends too early.");
  });

  test.each([
    ["a path that climbs", kinds.file, ""],
    ["a hard link", kinds.hardLink, "x"],
    ["a pipe", "6", ""],
    ["a link that leads too far", kinds.link, "t".repeat(5_000)],
  ])("with %s is refused in a line, however long the name is", async (_what, kind, target) => {
    const path = `${kind === kinds.file ? "../" : ""}a\n${"b".repeat(1_000_000)}`;
    const bytes = Buffer.concat([...writeHeaders({ path, mode: 0o644, size: 0, kind, target }), Buffer.alloc(1024)]);
    const refused = await unpackFolder(pieces(bytes, 70_000), newFolder()).catch((error: Error) => error.message);
    expect(refused).toMatch(/^The archive's '.{100,500}$/);
  });

  test("that is packed with gzip is refused", async () => {
    const folder = newFolder();
    fill(folder);
    await expect(unpackFolder(pieces(pack(folder, "-z"), 700), newFolder())).rejects.toThrow("not a tar archive");
  });

  test("whose source fails is refused with the source's reason", async () => {
    const folder = newFolder();
    fill(folder);
    const bytes = pack(folder);
    const failing = (async function* () {
      yield bytes.subarray(0, 2000);
      throw new Error("the line is cut");
    })();
    await expect(unpackFolder(failing, newFolder())).rejects.toThrow("the line is cut");
  });
});
