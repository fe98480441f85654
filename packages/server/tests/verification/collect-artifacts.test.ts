import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collectArtifacts } from "../../src/verification/index.ts";
import { hostileTree } from "../support/files/hostile-tree.ts";

const signal = new AbortController().signal;
const types = [
  { name: "map", paths: ["charts/**/*.map", "*.map"] },
  { name: "text", paths: ["charts/*.map"] },
];

/** Stores in memory; gives what was stored. */
function memory() {
  const stored: string[] = [];
  const put = async (content: Uint8Array | AsyncIterable<Uint8Array>) => {
    const bytes = content instanceof Uint8Array ? content : Buffer.concat(await Array.fromAsync(content));
    stored.push(Buffer.from(bytes).toString());
    return { digest: String(stored.length), size: bytes.length };
  };
  return { stored, put };
}

test("files that match are stored, never what a link or a pipe leads to", async () => {
  const { tree, outside } = await hostileTree();
  await mkdir(join(tree, "charts/deep"), { recursive: true });
  await mkdir(join(tree, "node_modules"));
  await writeFile(join(outside, "other.map"), "secret");
  for (const path of ["charts/north.map", "charts/deep/south.map", "node_modules/x.map", "top.map", "no.txt"])
    await writeFile(join(tree, path), path);
  await symlink(join(outside, "file"), join(tree, "link.map"));
  await symlink(outside, join(tree, "charts/out"));
  execFileSync("mkfifo", [join(tree, "pipe.map")]);
  const blobs = memory();
  const collected = await collectArtifacts(blobs, tree, types, { secrets: {}, signal });
  const found = "artifacts" in collected ? collected.artifacts.map(({ type, path }) => `${type} ${path}`) : collected;
  expect(found).toEqual([
    "map charts/deep/south.map",
    "map charts/north.map",
    "text by-type/text/charts/north.map",
    "map top.map",
  ]);
  expect(blobs.stored).not.toContain("secret");
});

test("a file never takes the place of a log of the service", async () => {
  const { tree } = await hostileTree();
  await mkdir(join(tree, "logs"));
  await writeFile(join(tree, "logs/validation.log"), "All is well.");
  const collected = await collectArtifacts(memory(), tree, [{ ...types[0]!, paths: ["logs/*.log"] }], {
    ...{ secrets: {}, signal },
  });
  expect(collected).toMatchObject({ artifacts: [{ path: "by-type/map/logs/validation.log" }] });
});

test("a file with a secret of the document is not stored, and named", async () => {
  const { tree } = await hostileTree();
  await writeFile(join(tree, "env.map"), "ANCHOR=heave-away-42\n");
  const blobs = memory();
  const secrets = { ANCHOR: "heave-away-42" };
  const collected = await collectArtifacts(blobs, tree, types, { secrets, signal });
  expect(collected).toMatchObject({
    error: { code: "secret_found", message: expect.stringContaining("'env.map' contains the value of a secret") },
  });
  expect(blobs.stored).toEqual([]);
});

test("a file whose name is a secret of the document is not stored, and not named", async () => {
  const { tree } = await hostileTree();
  await writeFile(join(tree, "heave-away-42.map"), "x");
  const blobs = memory();
  const secrets = { ANCHOR: "heave-away-42" };
  const collected = await collectArtifacts(blobs, tree, types, { secrets, signal });
  const message = expect.stringContaining("The name of a file of 'map' contains the value of a secret");
  expect(collected).toMatchObject({ error: { code: "secret_found", message } });
  expect(JSON.stringify(collected)).not.toContain("heave-away-42");
  expect(blobs.stored).toEqual([]);
});

test("what would match but has a name that is not UTF-8 is named, instead of left out without a word", async () => {
  const odd = (folder: string, end = "") =>
    Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from(end)]);
  for (const [make, shown] of [
    [(tree: string) => writeFile(odd(tree, ".map"), "x"), "caf\\xe9.map"],
    [(tree: string) => mkdir(join(tree, "charts")).then(() => mkdir(odd(join(tree, "charts")))), "charts/caf\\xe9"],
  ] as const) {
    const { tree } = await hostileTree();
    await make(tree);
    await writeFile(odd(tree, ".txt"), "no artifact");
    const collected = await collectArtifacts(memory(), tree, types, { secrets: {}, signal });
    const message = `'${shown}' has a name that is not valid UTF-8, so no artifact of it can be stored. Rename it.`;
    expect(collected).toEqual({ error: { code: "unacceptable_file", message } });
  }
});
