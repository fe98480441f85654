import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, link, mkdir, open, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  listProjectFolder,
  openProjectFile,
  readProjectFile,
  removeEmptyFolder,
  removeProjectFile,
  resolveInside,
  walkProjectFiles,
  writeProjectFile,
} from "../../../src/platform/project-files/index.ts";
import { hostileTree } from "../../support/files/hostile-tree.ts";
import { until } from "../../support/until.ts";

const maxBytes = 1_000;
const read = async (tree: string, path: string, more = {}) =>
  (await readProjectFile(tree, path, { maxBytes, ...more })).toString();

/** Where an open folder has no path of its own, the real path is checked instead. */
const ways = [
  ["by descriptors", { hasDescriptors: true }],
  ["by checked paths", { hasDescriptors: false }],
] as const;

type Plant = (tree: string, outside: string) => unknown;

/** What may stand in the place of `odd`, and how reading and writing it is refused. */
const hostile: Readonly<Record<string, readonly [Plant, { code: string; message: string }]>> = {
  "a pipe": [
    (tree) => execFileSync("mkfifo", [join(tree, "odd")]),
    not("not_a_file", "is a pipe, not a regular file."),
  ],
  "a link to a file outside": [(tree, outside) => symlink(join(outside, "file"), join(tree, "odd")), aLink()],
  "a link to a file inside": [(tree) => symlink("folder/file", join(tree, "odd")), aLink()],
  "a link to a device": [(tree) => symlink("/dev/zero", join(tree, "odd")), aLink()],
  "a link that leads nowhere": [(tree) => symlink("nowhere", join(tree, "odd")), aLink()],
  "a link to itself": [(tree) => symlink("odd", join(tree, "odd")), aLink()],
  "a socket": [listen, not("not_a_file", "is a socket, not a regular file.")],
  "a folder": [(tree) => mkdir(join(tree, "odd")), not("not_a_file", "is a folder, not a regular file.")],
};

describe.for(ways)("a file %s", ([, way]) => {
  test("is read and written inside of the tree", async () => {
    const { tree } = await hostileTree();
    expect(await read(tree, "folder/file", way)).toBe("inside");
    expect(await read(tree, "./folder//file", way)).toBe("inside");
    await writeProjectFile(tree, "new/deeper/a.sh", "echo", { isExecutable: true, ...way });
    expect(await read(tree, "new/deeper/a.sh", way)).toBe("echo");
    expect((await stat(join(tree, "new/deeper/a.sh"))).mode & 0o777).toBe(0o755);
    await writeProjectFile(tree, "new/deeper/a.sh", Buffer.from("exit"), way);
    expect((await stat(join(tree, "new/deeper/a.sh"))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(tree, "new/deeper"))).toEqual(["a.sh"]);
  });

  test.for(Object.entries(hostile))("is refused where there is %s", async ([, [plant, refusal]]) => {
    const { tree, outside } = await hostileTree();
    await plant(tree, outside);
    await expect(read(tree, "odd", way)).rejects.toMatchObject(refusal);
    await expect(writeProjectFile(tree, "odd", "changed", way)).rejects.toMatchObject(refusal);
    expect(await readFile(join(outside, "file"), "utf8")).toBe("secret");
    expect((await readdir(tree)).toSorted()).toEqual(["folder", "odd"]);
  });

  test("is refused behind a folder that is a link, wherever that leads", async () => {
    const { tree, outside } = await hostileTree();
    await symlink(outside, join(tree, "out"));
    await symlink("folder", join(tree, "in"));
    for (const folder of ["out", "in"]) {
      const refusal = { code: "link", message: `'${folder}' is a link, which the service does not follow.` };
      await expect(read(tree, `${folder}/file`, way)).rejects.toMatchObject(refusal);
      await expect(writeProjectFile(tree, `${folder}/file`, "changed", way)).rejects.toMatchObject(refusal);
      await expect(writeProjectFile(tree, `${folder}/a/new`, "changed", way)).rejects.toMatchObject(refusal);
      await expect(removeProjectFile(tree, `${folder}/file`, way)).rejects.toMatchObject(refusal);
      await expect(listProjectFolder(tree, folder, way)).rejects.toMatchObject(refusal);
    }
    expect(await readdir(outside)).toEqual(["file"]);
    expect(await readFile(join(outside, "file"), "utf8")).toBe("secret");
  });

  test("is refused in a tree that is itself a link now", async () => {
    const { tree, outside } = await hostileTree();
    await symlink(outside, `${tree}-link`);
    await expect(read(`${tree}-link`, "file", way)).rejects.toMatchObject({ name: "FileRefusal" });
    await expect(writeProjectFile(`${tree}-link`, "file", "x", way)).rejects.toMatchObject({ name: "FileRefusal" });
    expect(await readFile(join(outside, "file"), "utf8")).toBe("secret");
  });

  test("is removed, and a link instead of what it leads to", async () => {
    const { tree, outside } = await hostileTree();
    await symlink(join(outside, "file"), join(tree, "link"));
    await removeProjectFile(tree, "link", way);
    await removeProjectFile(tree, "missing", way);
    await expect(removeEmptyFolder(tree, "folder", way)).rejects.toMatchObject({ code: "unreadable" });
    await removeProjectFile(tree, "folder/file", way);
    await removeEmptyFolder(tree, "folder", way);
    expect(await readdir(tree)).toEqual([]);
    expect(await readdir(outside)).toEqual(["file"]);
  });
});

test.for(["/etc/passwd", "../outside/file", "folder/../../outside/file", ".git/config", "a/.GIT/x", "a\0b", "", "."])(
  "a path that is not one of a file inside is refused: %j",
  async (path) => {
    const { tree, outside } = await hostileTree();
    for (const attempted of [read(tree, path), writeProjectFile(tree, path, "x"), removeProjectFile(tree, path)])
      await expect(attempted).rejects.toMatchObject({ name: "FileRefusal" });
    expect(await readFile(join(outside, "file"), "utf8")).toBe("secret");
  },
);

test("a device is refused before it is opened", async ({ skip }) => {
  const { tree } = await hostileTree();
  const [path] = [join(tree, "zero")];
  try {
    execFileSync("mknod", [path, "c", "1", "5"], { stdio: "ignore" });
  } catch {
    skip("only root makes devices");
  }
  await expect(read(tree, "zero")).rejects.toMatchObject(not("not_a_file", "is a device, not a regular file.", "zero"));
});

describe("a large file", () => {
  test("is refused by its size, however little of it there is", async () => {
    const { tree } = await hostileTree();
    await writeFile(join(tree, "sparse"), "");
    await truncate(join(tree, "sparse"), 10 * 2 ** 30);
    const refusal = { code: "too_large", message: "'sparse' is larger than 1000 bytes." };
    await expect(read(tree, "sparse")).rejects.toMatchObject(refusal);
  });

  test("is refused when it grows beyond the limit while it is read", async () => {
    const { tree } = await hostileTree();
    const file = await openProjectFile(tree, "folder/file", { maxBytes });
    onTestFinished(() => file.close());
    await writeFile(join(tree, "folder/file"), "x".repeat(2_000));
    await expect(Array.fromAsync(file.chunks())).rejects.toMatchObject({ code: "too_large" });
  });

  test("is read whole within the limit, in pieces", async () => {
    const { tree } = await hostileTree();
    const content = Buffer.alloc(3_000_001, "abcdefg");
    await writeFile(join(tree, "large"), content);
    const found = await readProjectFile(tree, "large", { maxBytes: content.length });
    expect(digest(found)).toBe(digest(content));
  });
});

test("a second name of a file outside is replaced, not written through", async () => {
  const { tree, outside } = await hostileTree();
  await link(join(outside, "file"), join(tree, "second"));
  await writeProjectFile(tree, "second", "changed");
  expect(await read(tree, "second")).toBe("changed");
  expect(await readFile(join(outside, "file"), "utf8")).toBe("secret");
});

test("names of every kind are found and read; one that is not UTF-8 is named, or left out", async () => {
  const { tree } = await hostileTree();
  const names = ["line\nbreak", "tab\tand 'quotes\"", "-rf", "…", "back\\slash", "x".repeat(255), "*?["].toSorted();
  for (const name of names) await writeProjectFile(tree, name, name);
  const paths = [...names, "folder/file"].toSorted();
  expect((await Array.fromAsync(walkProjectFiles(tree))).map(({ path }) => path)).toEqual(paths);
  for (const name of names) expect(await read(tree, name)).toBe(name);
  await expect(read(tree, "no\nsuch")).rejects.toThrow("'no such' does not exist.");
  await expect(writeProjectFile(tree, "x".repeat(256), "")).rejects.toMatchObject({ code: "unreadable" });
  await writeFile(Buffer.concat([Buffer.from(`${tree}/odd-`), Buffer.from([0xff, 0xfe])]), "");
  await expect(Array.fromAsync(walkProjectFiles(tree))).rejects.toThrow("has a name that is not valid UTF-8");
  const found = await Array.fromAsync(walkProjectFiles(tree, { skipsOddNames: true }));
  expect(found.map(({ path }) => path)).toEqual(paths);
});

test("a walk follows no link, tells what is no file, and ends in a tree without end", { tags: "long" }, async () => {
  const { tree, outside } = await hostileTree();
  await symlink(outside, join(tree, "link"));
  execFileSync("mkfifo", [join(tree, "pipe")]);
  expect(await Array.fromAsync(walkProjectFiles(tree))).toEqual([
    { path: "folder/file", kind: "file" },
    { path: "link", kind: "link" },
    { path: "pipe", kind: "other" },
  ]);
  const dig = "for (let i = 0; i < 400; i++) { fs.mkdirSync('d'); process.chdir('d'); }";
  execFileSync(process.execPath, ["-e", dig], { cwd: tree });
  await expect(Array.fromAsync(walkProjectFiles(tree))).rejects.toThrow("lies deeper than 200 folders.");
});

test("files that are closed to us are refused with the reason", async ({ skip }) => {
  skip(process.getuid?.() === 0, "nothing is closed to root");
  const { tree } = await hostileTree();
  await chmod(join(tree, "folder/file"), 0);
  await expect(read(tree, "folder/file")).rejects.toMatchObject({ code: "unreadable" });
});

test("links are followed where they stay inside, and only there", async () => {
  const { tree, outside } = await hostileTree();
  await symlink("folder", join(tree, "in"));
  await symlink(outside, join(tree, "out"));
  await symlink("nowhere", join(tree, "dangling"));
  expect(await resolveInside(tree, "in/file")).toBe("folder/file");
  expect(await resolveInside(tree, "in/../in/new/a")).toBe("in/new/a".replace("in", "folder"));
  expect(await resolveInside(tree, "")).toBe(".");
  for (const path of ["out/file", "out", "dangling", "../x", "/etc", "in/../../outside"])
    await expect(resolveInside(tree, path)).rejects.toMatchObject({ name: "FileRefusal" });
});

test("no file stays open, whatever was refused", async () => {
  const { tree, outside } = await hostileTree();
  await symlink(outside, join(tree, "out"));
  execFileSync("mkfifo", [join(tree, "pipe")]);
  const openFiles = () => readdir("/proc/self/fd").then((names) => names.length);
  const before = await openFiles().catch(() => 0);
  for (const path of ["folder/file", "out/file", "pipe", "missing/x", "folder"]) {
    await read(tree, path).catch(() => undefined);
    await writeProjectFile(tree, path, "x").catch(() => undefined);
    await listProjectFolder(tree, path).catch(() => undefined);
  }
  // What earlier tests have left may open one for a moment.
  await until(async () => (await openFiles().catch(() => 0)) <= before);
  await (await open(join(tree, "folder/file"))).close();
});

function not(code: string, reason: string, path = "odd") {
  return { code, message: `'${path}' ${reason}` };
}

function aLink() {
  return not("link", "is a link, which the service does not follow.");
}

async function listen(tree: string): Promise<void> {
  const server = createServer().listen(join(tree, "odd"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
