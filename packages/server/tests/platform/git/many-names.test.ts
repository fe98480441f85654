import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { filesAt } from "../../../src/platform/git/read-files.ts";
import { readCommitFiles, readTree } from "../../../src/platform/git/read-tree.ts";
import { makeRepository, writeObject } from "../../../src/platform/git/repository.ts";
import { runGit } from "../../../src/platform/git/run-git.ts";
import { zeroEnded } from "../../../src/platform/git/zero-ended.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { countTurns } from "../../support/count-turns.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";

test("names that end with a zero byte are read one by one, and others have their turns", { tags: "long" }, async () => {
  const name = "é".repeat(100);
  const output = Buffer.from(`${name}\0\n\0`.repeat(50_000));
  const turns = countTurns();
  const found = await Array.fromAsync(zeroEnded(output));
  expect(turns()).toBeGreaterThan(1);
  expect(found).toHaveLength(100_000);
  expect(found.slice(-2)).toEqual([name, "\n"]);
});

test("half a name at the end is none", async () => {
  expect(await Array.fromAsync(zeroEnded(Buffer.from("a\0b")))).toEqual(["a"]);
  expect(await Array.fromAsync(zeroEnded(Buffer.alloc(0)))).toEqual([]);
});

test("who reads many small files, which git sends at once, leaves turns to others", async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-names-"));
  onTestFinished(() => removeFolder(folder));
  const repository = { gitDir: join(folder, "git"), limitMs: 60_000 };
  await makeRepository(repository);
  const id = await writeObject(repository.gitDir, "blob", Buffer.from("a"));
  const tree = Array.from({ length: 300 }, (_, index) => `100644 blob ${id}\tf${index}\0`).join("");
  const { stdout } = await runGit(repository, ["mktree", "-z"], { input: tree });
  const files = [...(await filesAt(repository, stdout.toString().trim()))];
  const turns = countTurns();
  for await (const _ of readTree(repository, files)) busyFor(1);
  expect(turns()).toBeGreaterThan(30);
});

test("who begins to read many files, and takes hours, holds none of their names", async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-names-"));
  onTestFinished(() => removeFolder(folder));
  const repository = { gitDir: join(folder, "git"), limitMs: 60_000 };
  await makeRepository(repository);
  const id = await writeObject(repository.gitDir, "blob", Buffer.from("a"));
  const names = Array.from({ length: 10_000 }, (_, index) => `${"n".repeat(200)}${String(index).padStart(5, "0")}`);
  const input = names.map((name) => `100644 blob ${id}\t${name}\0`).join("");
  const { stdout } = await runGit(repository, ["mktree", "-z"], { input });
  const tree = stdout.toString().trim();
  const before = process.memoryUsage().arrayBuffers;
  const readers = Array.from({ length: 4 }, () => readCommitFiles(repository, tree));
  for (const reader of readers) expect((await reader.next()).value?.path).toBe(names[0]);
  // Garbage counts, too: what is held of all names would be eight times their size.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * input.length);
  for (const reader of readers) await reader.return(undefined);
  expect(await Array.fromAsync(readCommitFiles(repository, tree, { path: names[9]! }), ({ path }) => path)).toEqual([
    names[9],
  ]);
});

function busyFor(ms: number): void {
  for (const from = performance.now(); performance.now() - from < ms; );
}
