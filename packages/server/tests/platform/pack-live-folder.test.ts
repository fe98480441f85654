import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LeftOut, packFolder, packLiveFolder, unpackFolder } from "../../src/platform/archive/index.ts";
import { writeHeaders } from "../../src/platform/archive/pax-header.ts";
import { kinds } from "../../src/platform/archive/tar-header.ts";
import { removeFolder } from "../../src/platform/remove-folder.ts";
import { folderWithLockedOne } from "../support/files/locked-folder.ts";
import { makeUnreadableFile } from "../support/files/unreadable-file.ts";

test("a file that changes or goes while it is packed leaves the archive whole", async () => {
  const place = mkdtempSync(join(tmpdir(), "slipway-live-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const from = join(place, "from");
  await mkdir(join(from, "empty"), { recursive: true });
  for (const name of ["1-grows", "2-shrinks", "3-goes", "4-stays"])
    writeFileSync(join(from, name), "x".repeat(600_000));
  truncateSync(join(from, "1-grows"), 10);

  const leftOut: string[] = [];
  const packed = packLiveFolder(from, { onLeftOut: ({ path, isLoss }) => leftOut.push(`${path} ${isLoss}`) });
  async function* changing(): AsyncGenerator<Uint8Array> {
    for await (const chunk of packed) {
      const path = chunk.length === 512 ? Buffer.from(chunk).toString("latin1", 0, 10) : "";
      // Its header says how long it is; nothing of it was read yet.
      if (path.startsWith("1-grows")) writeFileSync(join(from, "1-grows"), "y".repeat(900_000));
      if (path.startsWith("2-shrinks")) truncateSync(join(from, "2-shrinks"), 0);
      if (path.startsWith("2-shrinks")) rmSync(join(from, "3-goes"));
      yield chunk;
    }
  }
  const to = join(place, "to");
  await unpackFolder(changing(), to);
  expect((await readdir(to)).sort()).toEqual(["1-grows", "2-shrinks", "4-stays", "empty"]);
  expect((await stat(join(to, "1-grows"))).size).toBe(10);
  expect((await stat(join(to, "2-shrinks"))).size).toBe(600_000);
  expect(await readFile(join(to, "4-stays"), "utf8")).toBe("x".repeat(600_000));
  expect(leftOut).toEqual(["2-shrinks true"]);
});

test("a folder that its program has encrypted is left out and told, and the rest is packed", async ({ skip }) => {
  const from = folderWithLockedOne();
  if (from === undefined) return skip("needs root and a disk that knows encryption");
  writeFileSync(join(from, "kept"), "kept");
  const leftOut: LeftOut[] = [];
  const { to } = place();
  await unpackFolder(packLiveFolder(from, { onLeftOut: (left) => leftOut.push(left) }), to);
  expect(await readFile(join(to, "kept"), "utf8")).toBe("kept");
  expect(leftOut).toEqual([
    { path: "locked/file", reason: expect.stringContaining("cannot be used (Unknown system error"), isLoss: true },
  ]);
});

test("a program that writes ahead of the packer, or moves its files on, does not make the archive endless", {
  tags: "long",
}, async () => {
  const { from, to } = place();
  const folder = (n: number) => join(from, `d${String(n).padStart(3, "0")}`);
  for (let n = 0; n < 300; n += 1) mkdirSync(folder(n));
  writeFileSync(join(folder(0), "file"), "x".repeat(65_536));
  const leftOut: string[] = [];
  const onLeftOut = ({ path, reason }: LeftOut) => leftOut.push(`${path}: ${reason}`);
  let packedBytes = 0;
  async function* chased(): AsyncGenerator<Uint8Array> {
    for await (const chunk of packLiveFolder(from, { onLeftOut, maxBytes: 1024 ** 2 })) {
      packedBytes += chunk.length;
      const [, number] = /^d(\d{3})\/\0/.exec(Buffer.from(chunk).toString("latin1", 0, 20)) ?? [];
      // One file at a time, new in each folder, with nothing of it read twice.
      if (number !== undefined) {
        writeFileSync(join(folder(Number(number) + 1), "file"), "y".repeat(65_536));
        if (Number(number) > 0) rmSync(join(folder(Number(number) - 1), "file"));
      }
      yield chunk;
    }
  }
  await unpackFolder(chased(), to);
  expect(leftOut).toEqual([
    expect.stringMatching(/^d\d{3}\/file: and what comes after it is not packed: the folder grew .* 1048576 bytes/),
  ]);
  expect(packedBytes).toBeLessThan(1.2 * 1024 ** 2);
});

test("entries without any bytes count, too", async () => {
  const { from } = place();
  for (let n = 0; n < 50; n += 1) mkdirSync(join(from, `folder-${n}`));
  execFileSync(
    "mkfifo",
    Array.from({ length: 50 }, (_, n) => join(from, `pipe-${n}`)),
  );
  const leftOut: LeftOut[] = [];
  const packing = packLiveFolder(from, { onLeftOut: (left) => leftOut.push(left), maxBytes: 90 * 512 });
  await Array.fromAsync(packing);
  expect(leftOut.filter(({ isLoss }) => isLoss)).toEqual([
    { path: "pipe-45", reason: expect.stringContaining("what comes after it is not packed"), isLoss: true },
  ]);
});

test("a file that the disk cannot read is told, and the rest is packed", async ({ skip }) => {
  const { from, to, packed } = place();
  if (!makeUnreadableFile(join(from, "a-broken"))) return skip("needs root, and a process's memory as a file");
  writeFileSync(join(from, "kept"), "kept");
  const { archive, leftOut } = await packed();
  expect(leftOut).toEqual(["a-broken: cannot be read by the disk (EIO): its end is zeros"]);
  await unpackFolder(Readable.from([archive]), to);
  expect(await readFile(join(to, "kept"), "utf8")).toBe("kept");
  // Of a folder that must be whole, nothing is left out.
  await expect(Array.fromAsync(packFolder(from))).rejects.toThrow("EIO");
});

test("paths that are too long for their folder are left out and told, and the rest is unpacked", {
  tags: "long",
}, async () => {
  const { from, to, packed } = place();
  writeFileSync(join(from, "kept"), "kept");
  // As a program does it: by short names, from folder to folder.
  execFileSync("sh", ["-c", `for i in $(seq 45); do mkdir ${letters} && cd -P ${letters} && echo x > f; done`], {
    cwd: from,
  });
  // Of a folder that must be whole, nothing is left out.
  await expect(Array.fromAsync(packFolder(from))).rejects.toThrow("has a path longer than 4095 bytes");
  const { archive, leftOut } = await packed();
  expect(leftOut).toHaveLength(1);
  expect(leftOut[0]).toMatch(/^a{100}\/.*: has a path longer than 4095 bytes$/);
  await unpackFolder(Readable.from([archive]), to, { hasRepositories: true });
  expect(await readFile(join(to, "kept"), "utf8")).toBe("kept");

  // At a longer place than theirs, what does not fit there is left out.
  const longer = join(to, "x".repeat(200));
  await mkdir(longer);
  const notUnpacked: string[] = [];
  const onLeftOut = ({ path, reason }: LeftOut) => notUnpacked.push(`${path.length} ${reason}`);
  await unpackFolder(Readable.from([archive]), longer, { hasRepositories: true, onLeftOut });
  expect(notUnpacked.length).toBeGreaterThan(0);
  for (const text of notUnpacked) expect(text).toMatch(/cannot be written here \(ENAMETOOLONG\)/);
  expect(await readFile(join(longer, "kept"), "utf8")).toBe("kept");
  await expect(unpackFolder(Readable.from([archive]), join(to, "y".repeat(200)))).rejects.toThrow("ENAMETOOLONG");
});

test("a file with many names is packed once, and has them all when it is unpacked", async () => {
  const { from, to, packed } = place();
  await mkdir(join(from, "b"));
  writeFileSync(join(from, "a"), Buffer.alloc(1_000_000, "a"), { mode: 0o755 });
  for (let n = 0; n < 40; n += 1) linkSync(join(from, "a"), join(from, n % 2 ? "b" : ".", `name-${n}`));
  const { archive, leftOut } = await packed();
  expect(leftOut).toEqual([]);
  expect(archive.length).toBeLessThan(1_100_000);
  expect(await unpackFolder(Readable.from([archive]), to, { hasHardLinks: true })).toBe(41);
  const [first, other] = [await stat(join(to, "a")), await stat(join(to, "b", "name-39"))];
  expect(other).toMatchObject({ ino: first.ino, nlink: 41, size: 1_000_000 });
  expect(other.mode & 0o777).toBe(0o755);
  // What strangers pack has no hard links.
  await expect(unpackFolder(Readable.from([archive]), join(to, "no"))).rejects.toThrow("--hard-dereference");
});

test("a file that is larger than its new place takes is left out with its other names, and what follows is unpacked", async () => {
  const { from, to } = place();
  writeFileSync(join(from, "a-large"), Buffer.alloc(900_000, "a"));
  linkSync(join(from, "a-large"), join(from, "b-name"));
  writeFileSync(join(from, "c-small"), "small");
  const archive = new URL("../../src/platform/archive/index.ts", import.meta.url);
  const text = `import { packLiveFolder, unpackFolder } from ${JSON.stringify(archive)};
process.on("SIGXFSZ", () => undefined);
const onLeftOut = ({ path, reason }) => console.log(path + " " + reason);
await unpackFolder(packLiveFolder(process.argv[1], { onLeftOut }), process.argv[2], { hasHardLinks: true, onLeftOut });`;
  const limited = ["-c", 'ulimit -f 100; exec "$0" --no-warnings --input-type=module -e "$@"'];
  const out = execFileSync("sh", [...limited, process.execPath, text, from, to], { encoding: "utf8" });
  expect(out).toBe("a-large cannot be written here (EFBIG)\nb-name is a second name of a file that is missing\n");
  expect(await readdir(to)).toEqual(["c-small"]);
});

test("a name that is not UTF-8 is left out and told, whatever it is of", async () => {
  const { from, packed } = place();
  writeFileSync(join(from, "kept"), "kept");
  await mkdir(join(from, "inner"));
  writeFileSync(Buffer.concat([Buffer.from(join(from, "inner/caf")), Buffer.from([0xe9])]), "lost");
  mkdirSync(Buffer.concat([Buffer.from(join(from, "folder-")), Buffer.from([0xff, 0x0a])]));
  symlinkSync(Buffer.from([0xfe, 0x41]), join(from, "link"));
  expect((await packed()).leftOut).toEqual([
    "folder-\\xff\\x0a: has a name that is not valid UTF-8",
    "inner/caf\\xe9: has a name that is not valid UTF-8",
    "link: 'link' leads to a name that is not valid UTF-8.",
  ]);
});

test("a file that a program keeps for itself by a lease is left out and told", async () => {
  const { from, packed } = place();
  writeFileSync(join(from, "leased"), "x");
  writeFileSync(join(from, "other"), "y");
  const text = `import fcntl, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
f = open("leased", "r+")
fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("ready", flush=True)
sys.stdin.read()`;
  const holder = spawn("python3", ["-c", text], { cwd: from, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void holder.stdin.end());
  await once(holder.stdout, "data");
  expect((await packed()).leftOut).toEqual(["leased: 'leased' cannot be used (EAGAIN)."]);
});

describe("a hard link of an archive", () => {
  test.each([
    ["a file outside", "../secret"],
    ["an absolute path", "/etc/passwd"],
    ["a file that is not there", "missing"],
    ["a folder", "folder"],
    ["a link", "link"],
    ["a file that comes later", "later"],
  ])("to %s is not made", async (_what, target) => {
    const { to, root } = place();
    writeFileSync(join(root, "secret"), "secret");
    const entry = (path: string, kind: string, leads = "") => [
      ...writeHeaders({ path, mode: 0o644, size: 0, kind, target: leads }),
    ];
    const blocks = [
      ...entry("folder/", kinds.folder),
      ...entry("link", kinds.link, "../secret"),
      ...entry("name", kinds.hardLink, target),
      ...entry("later", kinds.file),
      Buffer.alloc(1024),
    ];
    const leftOut: string[] = [];
    const options = { hasHardLinks: true, onLeftOut: ({ path }: LeftOut) => leftOut.push(path) };
    const unpacking = unpackFolder(Readable.from(blocks), to, options);
    if (/^(\.\.)?\//.test(target)) await expect(unpacking).rejects.toThrow("is not a path inside the folder");
    else await unpacking.then(() => expect(leftOut).toEqual(["name"]));
    expect(existsSync(join(to, "name"))).toBe(false);
  });
});

const letters = "a".repeat(100);

/** A folder to pack, one to unpack into, and what packing gives. */
function place() {
  const root = mkdtempSync(join(tmpdir(), "slipway-live-"));
  onTestFinished(() => removeFolder(root));
  const [from, to] = [join(root, "from"), join(root, "to")];
  mkdirSync(from);
  mkdirSync(to);
  const packed = async () => {
    const leftOut: string[] = [];
    const packing = packLiveFolder(from, { onLeftOut: ({ path, reason }) => leftOut.push(`${path}: ${reason}`) });
    return { archive: Buffer.concat(await Array.fromAsync(packing)), leftOut };
  };
  return { root, from, to, packed };
}
