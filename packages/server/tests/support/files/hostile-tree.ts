import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A tree with `folder/file`, beside a folder outside of it with `file`; gone after the test. */
export async function hostileTree() {
  const root = await mkdtemp(join(tmpdir(), "slipway-files-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [tree, outside] = [join(root, "tree"), join(root, "outside")];
  await mkdir(join(tree, "folder"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(tree, "folder/file"), "inside");
  await writeFile(join(outside, "file"), "secret");
  return { tree, outside };
}
