import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { applyPatch, copiesFiles } from "../../../../src/agents/drivers/project-folder/apply-patch.ts";
import { packFolder, unpackFolder } from "../../../../src/platform/archive/index.ts";
import { newFolder, plainHost } from "../../../support/agents/plain-host.ts";
import { addingPatch } from "../../../support/agents/worker-stage.ts";
import { countTurns } from "../../../support/count-turns.ts";

/** A folder like an attempt's, inside of a repository that is none of its business. */
async function attemptFolder(files: Readonly<Record<string, string>> = { "a.txt": "one\ntwo\n" }): Promise<string> {
  const outer = await newFolder();
  execFileSync("git", ["init", "-q", outer]);
  const folder = join(outer, "attempt", "tree");
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Every file and link in a folder, and what is in it. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (entry.isSymbolicLink()) found[name] = `→ ${await readlink(path)}`;
    else if (entry.isFile()) found[name] = await readFile(path, "latin1");
  }
  return found;
}

/** What git writes when the second folder came of the first. */
async function patchBetween(before: string, after: string): Promise<Buffer> {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: before, maxBuffer: 1e9 });
  git("init", "-q");
  git("add", "-A", "-f");
  git("commit", "-qm", "before", "--allow-empty");
  const index = [`--git-dir=${before}/.git`, `--work-tree=${after}`];
  git(...index, "add", "-A", "-f");
  return git(...index, "diff", "--cached", "--binary", "HEAD");
}

describe("a patch", () => {
  test("brings all kinds of changes over: texts, bytes, modes, links, renames and removals", async () => {
    const before = {
      "a.txt": "one\ntwo\n",
      "gone.txt": "gone\n",
      "moved.txt": `${"long\n".repeat(50)}`,
      "run.sh": "#!\n",
    };
    const worker = { from: await attemptFolder(before), to: await attemptFolder(before) };
    const { to } = worker;
    await writeFile(join(to, "a.txt"), "one\r\nthree");
    await rm(join(to, "gone.txt"));
    await rm(join(to, "moved.txt"));
    await mkdir(join(to, "deep/er"), { recursive: true });
    await writeFile(join(to, "deep/er/moved ü.txt"), before["moved.txt"]);
    await writeFile(join(to, "bytes.bin"), Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256)));
    await writeFile(join(to, "new.sh"), "#!/bin/sh\n", { mode: 0o755 });
    await symlink("a.txt", join(to, "link"));
    const patch = await patchBetween(worker.from, to);
    const folder = await attemptFolder(before);
    expect(await applyPatch(plainHost(folder), folder, patch)).toBeUndefined();
    expect(await contentOf(folder)).toEqual(await contentOf(to));
  });

  test("is applied byte for byte, whatever attributes the project has", async () => {
    const folder = await attemptFolder({ ".gitattributes": "* text eol=crlf\n", "a.txt": "one\ntwo\n" });
    expect(await applyPatch(plainHost(folder), folder, Buffer.from(addingPatch("b.txt", "x\ny\n")))).toBeUndefined();
    expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("x\ny\n");
  });

  test("may hold texts that look like a copy, also behind a carriage return", async () => {
    const worker = { from: await attemptFolder(), to: await attemptFolder() };
    await writeFile(join(worker.to, "old-mac.txt"), "one\rcopy from a.txt\rcopy to b.txt\r");
    await writeFile(join(worker.to, "how-to.txt"), "copy from a.txt\r\ncopy to b.txt\r\n");
    await symlink("copy from a.txt", join(worker.to, "link"));
    const folder = await attemptFolder();
    const patch = await patchBetween(worker.from, worker.to);
    expect(await applyPatch(plainHost(folder), folder, patch)).toBeUndefined();
    expect(await contentOf(folder)).toEqual(await contentOf(worker.to));
  });

  test("of nothing changes nothing", async () => {
    const folder = await attemptFolder();
    expect(await applyPatch(plainHost(folder), folder, Buffer.alloc(0))).toBeUndefined();
  });
});

const absolute = "/tmp/slipway-patch-must-not-make-this";
const hostile: Readonly<Record<string, string | Buffer>> = {
  "does not fit": "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-three\n+four\n",
  "is of a file that is not there": "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n",
  "adds what is there already": addingPatch("a.txt", "other\n"),
  "is no patch": "This is no patch.\n",
  "is cut off": addingPatch("new.txt", "x\ny\n").slice(0, -8),
  "climbs out of the folder": addingPatch("../out.txt", "x\n"),
  "climbs out from below": addingPatch("deep/../../out.txt", "x\n"),
  "has an absolute path behind a prefix": addingPatch(absolute, "x\n"),
  "writes into a repository of its own making": addingPatch(
    ".git/hooks/post-checkout",
    "#!/bin/sh\ntouch /tmp/x\n",
    "100755",
  ),
  "writes into one further down": addingPatch("sub/.git/config", "[core]\n"),
  "writes into one by a name that other systems take for it": addingPatch(".GIT/config", "[core]\n"),
  "writes into one by a short name": addingPatch("git~1/config", "[core]\n"),
  "writes through a link that it makes": addingPatch("door", "..", "120000") + addingPatch("door/out.txt", "x\n"),
  "writes through a link that is there": addingPatch("outside/out.txt", "x\n"),
  "changes a file beyond a link":
    "diff --git a/outside/secret b/outside/secret\n--- a/outside/secret\n+++ b/outside/secret\n@@ -1 +1 @@\n-x\n+y\n",
  "moves a file out": "diff --git a/a.txt b/../a.txt\nsimilarity index 100%\nrename from a.txt\nrename to ../a.txt\n",
  "moves a file in":
    "diff --git a/../secret b/secret\nsimilarity index 100%\nrename from ../secret\nrename to secret\n",
  "copies a file of somebody else's in":
    "diff --git a//etc/passwd b/passwd\nsimilarity index 100%\ncopy from /etc/passwd\ncopy to passwd\n",
  "copies a file in": `diff --git a/../secret b/secret\nsimilarity index 100%\ncopy from ../secret\ncopy to secret\n`,
  "copies a file in, with lines that end as on Windows":
    "diff --git a/../secret b/secret\r\nsimilarity index 100%\r\ncopy from ../secret\r\ncopy to secret\r\n",
  "removes a file outside":
    "diff --git a/../secret b/../secret\ndeleted file mode 100644\n--- a/../secret\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
  "is binary and lies about its size": binaryPatch("new.bin", 10, Buffer.alloc(5)),
  "is binary and unpacks to far more than it says": binaryPatch("new.bin", 10, Buffer.alloc(50_000_000)),
};

test.each([
  ["an absolute path", `--- /dev/null\n+++ ${absolute}\n@@ -0,0 +1 @@\n+x\n`],
  ["a NUL in its path", addingPatch("a\0b", "x\n")],
])("a patch with %s stays within the folder", async (_, patch) => {
  const folder = await attemptFolder();
  await applyPatch(plainHost(folder), folder, Buffer.from(patch));
  expect(Object.keys(await contentOf(dirname(folder))).every((path) => path.startsWith("tree/"))).toBe(true);
  expect(existsSync(absolute)).toBe(false);
});

describe("a patch is refused with a clear message, and nothing is changed, when it", () => {
  test.each(Object.entries(hostile))("%s", async (_, patch) => {
    const folder = await attemptFolder();
    const outer = dirname(folder);
    await writeFile(join(outer, "secret"), "x\n");
    await symlink("..", join(folder, "outside"));
    const before = await contentOf(outer);
    const refusal = await applyPatch(plainHost(folder), folder, Buffer.from(patch));
    expect(refusal).toMatch(/^The worker's patch cannot be applied: (error|fatal|warning): .{5,}/);
    expect(await contentOf(outer)).toEqual(before);
    expect(existsSync(absolute)).toBe(false);
  });
});

/** A binary patch as git writes it: zlib, in lines of base 85. */
function binaryPatch(path: string, size: number, content: Buffer): string {
  const packed = deflateSync(content);
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
  const lines: string[] = [];
  for (let at = 0; at < packed.length; at += 52) {
    const part = packed.subarray(at, at + 52);
    const length = part.length <= 26 ? String.fromCharCode(64 + part.length) : String.fromCharCode(70 + part.length);
    let line = length;
    for (let word = 0; word < part.length; word += 4) {
      const four = Buffer.alloc(4);
      part.copy(four, 0, word, word + 4);
      let value = four.readUInt32BE();
      let five = "";
      for (let digit = 0; digit < 5; digit += 1) {
        five = alphabet[value % 85] + five;
        value = Math.floor(value / 85);
      }
      line += five;
    }
    lines.push(line);
  }
  const id = "0".repeat(40);
  return `diff --git a/${path} b/${path}\nnew file mode 100644\nindex ${id}..${"1".repeat(40)}\nGIT binary patch\nliteral ${size}\n${lines.join("\n")}\n\nliteral 0\nHcmV?d00001\n\n`;
}

describe("an archive", () => {
  test("holds a folder's files as they are, and is the same for the same files", async () => {
    const long = `${"d/".repeat(60)}${"n".repeat(120)}.txt`;
    const folder = await attemptFolder({ "a.txt": "one\n", empty: "", [long]: "deep\n", "ü.txt": "x".repeat(512) });
    await writeFile(join(folder, "run.sh"), "#!\n", { mode: 0o755 });
    await symlink(`${"../".repeat(3)}${"t".repeat(150)}`, join(folder, "link"));
    const copy = await newFolder();
    await unpackFolder(packFolder(folder), copy);
    expect(await contentOf(copy)).toEqual(await contentOf(folder));
    expect(Buffer.concat(await Array.fromAsync(packFolder(copy)))).toEqual(
      Buffer.concat(await Array.fromAsync(packFolder(folder))),
    );
  });

  test("can be read by others", async () => {
    const long = `${"d/".repeat(60)}${"n".repeat(120)}.txt`;
    const folder = await attemptFolder({ "a.txt": "one\n", [long]: "deep\n" });
    const [archive, copy] = [join(await newFolder(), "a.tar"), await newFolder()];
    await writeFile(archive, packFolder(folder));
    execFileSync("tar", ["-xf", archive, "-C", copy]);
    expect(await contentOf(copy)).toEqual(await contentOf(folder));
  });

  test.each(["../out", "/tmp/out", "a/../../out", ".git/config", "sub/.GIT/config"])(
    "with '%s' in it is refused",
    async (path) => {
      const folder = await attemptFolder({ "p.txt": "x" });
      const bytes = Buffer.concat(await Array.fromAsync(packFolder(folder)));
      bytes.fill(0, 0, 100);
      bytes.write(path, 0);
      bytes.fill(32, 148, 156);
      const sum = bytes.subarray(0, 512).reduce((all, byte) => all + byte, 0);
      bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
      const copy = await newFolder();
      await expect(unpackFolder(pieces(bytes), copy)).rejects.toThrow("is not a path inside the folder");
      expect(await contentOf(copy)).toEqual({});
    },
  );

  test("that is broken or cut off is refused", async () => {
    const folder = await attemptFolder();
    const bytes = Buffer.concat(await Array.fromAsync(packFolder(folder)));
    await expect(unpackFolder(pieces(bytes.subarray(0, 515)), await newFolder())).rejects.toThrow("ends too early");
    await expect(unpackFolder(pieces(Buffer.alloc(512, "x")), await newFolder())).rejects.toThrow("not a tar archive");
  });
});

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

test("copies are found wherever they stand in a large patch, and others have their turns meanwhile", {
  tags: "long",
}, async () => {
  const size = 16 * 1024 * 1024;
  const turns = countTurns();
  expect(await copiesFiles(Buffer.alloc(size, "copy fro\n"))).toBe(false);
  expect(turns()).toBeGreaterThan(3);
  const filler = Buffer.alloc(1024 * 1024 + 20, "x");
  for (let at = 1024 * 1024 - 20; at <= filler.length; at += 1)
    expect(await copiesFiles(Buffer.concat([filler.subarray(0, at), Buffer.from("\ncopy from a\n")]))).toBe(true);
  for (let at = 1024 * 1024 - 20; at <= filler.length; at += 1)
    expect(await copiesFiles(Buffer.concat([filler.subarray(0, at), Buffer.from("copy from a\n")]))).toBe(false);
  expect(await copiesFiles(Buffer.from("copy to a\n"))).toBe(true);
});
