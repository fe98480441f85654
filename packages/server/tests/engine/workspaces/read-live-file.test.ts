import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readLiveFile } from "../../../src/engine/workspaces/read-live-file.ts";

/** A tree with a file in a folder, beside another folder that is nobody's to see. */
async function makeTree() {
  const root = await mkdtemp(join(tmpdir(), "slipway-live-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [tree, outside] = [join(root, "tree"), join(root, "outside")];
  await mkdir(join(tree, "folder"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(tree, "folder", "file"), "inside");
  await writeFile(join(outside, "file"), "secret");
  return { tree, outside };
}

test("a file is read up to a limit, and a missing folder differs from a missing file", async () => {
  const { tree } = await makeTree();
  const read = (path: string, most = 100) => readLiveFile(tree, path, most);
  expect(await read("folder/file")).toEqual({ is: "file", sizeBytes: 6, content: Buffer.from("inside") });
  expect(await read("folder/file", 6)).toMatchObject({ content: Buffer.from("inside") });
  expect(await read("folder/file", 5)).toEqual({ is: "file", sizeBytes: 6, content: undefined });
  expect(await read("folder/none")).toEqual({ is: "missing" });
  expect(await readLiveFile(join(tree, "none"), "file", 100)).toEqual({ is: "folder_missing" });
});

test("nothing outside is read, whoever exchanges folders for links meanwhile", { tags: "long" }, async () => {
  const { tree, outside } = await makeTree();
  const [folder, aside, link] = [join(tree, "folder"), join(tree, "aside"), join(tree, "link")];
  const stop = new AbortController();
  const exchanging = (async () => {
    while (!stop.signal.aborted) {
      await rename(folder, aside);
      await symlink(outside, link);
      await rename(link, folder);
      await rm(folder);
      await rename(aside, folder);
    }
  })();
  const seen = new Set<string>();
  for (let i = 0; i < 3_000; i += 1) {
    const found = await readLiveFile(tree, "folder/file", 100);
    seen.add(found.is === "file" ? String(found.content) : found.is);
  }
  stop.abort();
  await exchanging;
  expect(seen).not.toContain("secret");
  expect(await readLiveFile(tree, "folder/file", 100)).toMatchObject({ content: Buffer.from("inside") });
});
