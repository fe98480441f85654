import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeCommit } from "../../../src/platform/git/commit-object.ts";
import { packArgs } from "../../../src/platform/git/pack-objects.ts";
import { filesAt, readFileAt } from "../../../src/platform/git/read-files.ts";
import { readTree } from "../../../src/platform/git/read-tree.ts";
import { makeRepository, writeObject } from "../../../src/platform/git/repository.ts";
import { type Repository, runGit } from "../../../src/platform/git/run-git.ts";
import { isOnPath } from "../../../src/platform/process/index.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";
import { until } from "../../support/until.ts";

const sizeBytes = 16 * 2 ** 20;

const hasPrlimit = await isOnPath("prlimit");

test.skipIf(!hasPrlimit)(
  "a packed file is read, checked out and taken over without being held as a whole",
  async () => {
    const folder = await mkdtemp(join(fastFolder(), "slipway-large-"));
    onTestFinished(() => removeFolder(folder));
    const repository = await newRepository(folder, "one");
    const commit = await packedFile(repository);
    await limitGit(folder, sizeBytes / 2);

    for await (const { content } of readTree(repository, await filesAt(repository, commit))) {
      let read = 0;
      for await (const chunk of content) read += chunk.length;
      expect(read).toBe(sizeBytes);
    }
    await expect(readFileAt(repository, commit, "large", { maxBytes: 1_000 })).rejects.toMatchObject({
      code: "too_large",
    });

    const workTree = join(folder, "tree");
    await mkdir(workTree);
    await runGit(repository, ["read-tree", "-m", "-u", commit], { workTree, indexFile: join(folder, "index") });
    expect((await stat(join(workTree, "large"))).size).toBe(sizeBytes);

    const another = await newRepository(folder, "two");
    const { args, config } = packArgs(["--stdout"]);
    const { stdout } = await runGit(repository, args, { config, input: `${commit}\n` });
    await runGit(another, ["index-pack", "--stdin"], { input: inOnePiece(stdout) });
    expect((await Array.fromAsync(await filesAt(another, commit))).map((file) => file.sizeBytes)).toEqual([sizeBytes]);
  },
);

test("who leaves while git's output waits for them leaves no pipe to it open", async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-left-"));
  onTestFinished(() => removeFolder(folder));
  const repository = await newRepository(folder, "one");
  const id = await writeObject(repository.gitDir, "blob", Buffer.alloc(2 ** 20, "x"));
  const files = Array.from({ length: 8 }, (_, index) => `100644 blob ${id}\tf${index}\0`).join("");
  const { stdout } = await runGit(repository, ["mktree", "-z"], { input: files });
  const listed = [...(await filesAt(repository, stdout.toString().trim()))];
  const pipes = () => process.getActiveResourcesInfo().filter((kind) => kind === "PipeWrap").length;
  const before = pipes();
  const readers = Array.from({ length: 3 }, () => readTree(repository, listed));
  for (const reader of readers) await reader.next();
  expect(pipes()).toBeGreaterThan(before);
  for (const reader of readers) await reader.return(undefined);
  await until(() => pipes() <= before);
});

async function newRepository(folder: string, name: string): Promise<Repository> {
  const repository = { gitDir: join(folder, name), limitMs: 60_000 };
  await makeRepository(repository);
  return repository;
}

/** A commit whose only file is in a pack, and nowhere else. */
async function packedFile(repository: Repository): Promise<string> {
  const { gitDir } = repository;
  const id = await writeObject(gitDir, "blob", Buffer.alloc(sizeBytes, "x"));
  const { stdout } = await runGit(repository, ["mktree", "-z"], { input: `100644 blob ${id}\tlarge\0` });
  const signature = "Slipway <slipway@localhost> 0 +0000";
  const tree = stdout.toString().trim();
  const commit = await writeObject(gitDir, "commit", writeCommit({ tree, parents: [], signature, message: "Large\n" }));
  const { args, config } = packArgs([join(gitDir, "objects", "pack", "pack")]);
  await runGit(repository, args, { config, input: `${commit}\n` });
  await rm(join(gitDir, "objects", id.slice(0, 2)), { recursive: true });
  return commit;
}

/** From now on, git gets no more memory than that. */
async function limitGit(folder: string, bytes: number): Promise<void> {
  const path = process.env["PATH"] ?? "";
  const program = join(folder, "git");
  await writeFile(program, `#!/bin/sh\nPATH='${path}'\nexec prlimit --data=${bytes} -- git "$@"\n`);
  await chmod(program, 0o755);
  vi.stubEnv("PATH", `${folder}:${path}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
