import { execFileSync } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workspaceIn } from "../../../src/platform/plugins/host/workspace.ts";
import { hostileTree } from "../../support/files/hostile-tree.ts";

test("a plugin's workspace neither waits for a pipe nor leaves the folder", async () => {
  const { tree, outside } = await hostileTree();
  execFileSync("mkfifo", [join(tree, "pipe")]);
  await symlink(outside, join(tree, "out"));
  const { read, write } = workspaceIn(tree, {});
  await expect(read("pipe")).rejects.toThrow("'pipe' is not a regular file.");
  await expect(write("pipe", "x")).rejects.toThrow("'pipe' is not a regular file.");
  await expect(read("out/file")).rejects.toThrow("is not a path inside the folder");
  await expect(write("out/file", "x")).rejects.toThrow("is not a path inside the folder");
  expect(await read("missing")).toBeUndefined();
  expect(await read("folder/file")).toBe("inside");
  await write("folder/file", "changed");
  expect(await read("folder/file")).toBe("changed");
  expect(await readFile(join(outside, "file"), "utf8")).toBe("secret");
});
