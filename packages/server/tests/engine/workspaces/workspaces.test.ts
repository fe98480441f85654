// @module-tag soak
import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Merged } from "../../../src/platform/git/index.ts";
import {
  attempt,
  author,
  createTestWorkspaces,
  doWork,
  git,
  newAttemptId,
  newProjectId,
  take,
  type Work,
} from "../../support/workspaces/test-workspaces.ts";

const { workspaces, folder, blobs, anotherNode } = await createTestWorkspaces();

const isLong = process.env["SLIPWAY_LONG"] === "1";

describe("a project", () => {
  test("begins with the same empty commit on every node", async () => {
    const projectId = newProjectId();
    const other = anotherNode();
    const { commit } = await workspaces.open(projectId, undefined);
    expect(await other.workspaces.open(newProjectId(), undefined)).toEqual({ commit });
    expect(await workspaces.open(projectId, undefined)).toEqual({ commit });
    expect(await workspaces.listFiles(projectId, commit)).toEqual([]);
    expect(git(folder, projectId, "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("may be opened by many at once", async () => {
    const projectId = newProjectId();
    const opened = await Promise.all(Array.from({ length: 8 }, () => workspaces.open(projectId, undefined)));
    expect(new Set(opened.map(({ commit }) => commit)).size).toBe(1);
    expect(await readdir(join(folder, projectId))).toEqual(["repo.git"]);
  });

  test("goes on where another node left it", async () => {
    const { projectId, root } = await newProject();
    const first = await taken(projectId, root, { "a.txt": "a", "deep/b.txt": "b" });
    const second = await taken(projectId, first, { "a.txt": "aa" });
    const bundle = await workspaces.save(projectId, second);
    const other = anotherNode();
    await other.workspaces.open(projectId, { commit: second, bundle });
    expect((await other.workspaces.readFile(projectId, second, "deep/b.txt"))?.toString()).toBe("b");
    expect((await other.workspaces.readFile(projectId, first, "a.txt"))?.toString()).toBe("a");
    expect(git(other.folder, projectId, "fsck", "--strict", "--no-dangling")).toBe("");
    const third = (await attempt(other.workspaces, projectId, second, { "c.txt": "c" }))!.commit;
    const head = { commit: third, bundle: await other.workspaces.save(projectId, third) };
    expect(await workspaces.open(projectId, head)).toEqual({ commit: third });
    expect(await workspaces.changedFiles(projectId, second, third)).toEqual([{ path: "c.txt", change: "added" }]);
  });

  test("is stored as a bundle that any git can clone", async () => {
    const { projectId, root } = await newProject();
    const commit = await taken(projectId, root, { "a.txt": "a" });
    const bundle = await workspaces.save(projectId, commit);
    const file = join(folder, "cloned.bundle");
    await writeFile(file, await blobs.read(bundle));
    execFileSync("git", ["clone", "--quiet", file, join(folder, "cloned")]);
    expect(await readFile(join(folder, "cloned", "a.txt"), "utf8")).toBe("a");
  });

  test("is not opened with a bundle that lacks its head, or is none", { tags: "long" }, async () => {
    const { projectId, root } = await newProject();
    const first = await taken(projectId, root, { "a.txt": "a" });
    const second = await taken(projectId, first, { "a.txt": "b" });
    const bundle = await workspaces.save(projectId, first);
    const whole = await blobs.read(bundle);
    const { digest: half } = await blobs.put(whole.subarray(0, whole.length - 30));
    const { digest: nonsense } = await blobs.put(Buffer.from("nonsense"));
    const other = anotherNode().workspaces;
    const unusable = { code: "bundle_unusable" };
    await expect(other.open(projectId, { commit: second, bundle })).rejects.toMatchObject(unusable);
    await expect(other.open(projectId, { commit: first, bundle: half })).rejects.toMatchObject(unusable);
    await expect(other.open(projectId, { commit: first, bundle: nonsense })).rejects.toMatchObject(unusable);
    await expect(other.open(projectId, { commit: first, bundle: "0".repeat(64) })).rejects.toMatchObject({
      code: "blob_missing",
    });
    await other.open(projectId, { commit: first, bundle });
  });

  test("is gone after it was removed", async () => {
    const { projectId, root } = await newProject();
    await workspaces.checkOut(projectId, newAttemptId(), root);
    await workspaces.remove(projectId);
    expect(await readdir(folder)).not.toContain(projectId);
    await workspaces.remove(projectId);
  });
});

describe("a result", () => {
  test("is a commit of the agent's, with the task and the project as trailers", async () => {
    const { projectId, root } = await newProject();
    const result = await attempt(workspaces, projectId, root, { "a.txt": "a", "b/c.txt": "c" });
    expect(result).toMatchObject({ files: 2 });
    const shown = git(
      folder,
      projectId,
      "log",
      "-1",
      "--format=%P|%an|%ae|%cn|%aI|%s|%(trailers:unfold)",
      result!.commit,
    );
    const who = `${author.name}|${author.email}|${author.name}|2026-11-15T09:30:00+00:00`;
    expect(shown.trim()).toBe(`${root}|${who}|Do the work|Slipway-Task: task_1\nSlipway-Project: ${projectId}`);
    expect(git(folder, projectId, "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("of a new project is nothing where there is no file to take", async () => {
    const { projectId, root } = await newProject();
    expect(await attempt(workspaces, projectId, root, {})).toBeUndefined();
    expect(await attempt(workspaces, projectId, root, (path) => mkdir(join(path, "empty")))).toBeUndefined();
    const commit = await taken(projectId, root, { ".gitignore": "b.txt\n", "a.txt": "a", "b.txt": "b" });
    expect((await workspaces.listFiles(projectId, commit)).map(({ path }) => path)).toEqual([".gitignore", "a.txt"]);
  });

  test("is nothing where nothing changed", async () => {
    const { projectId, root } = await newProject();
    const head = await taken(projectId, root, { "a.txt": "a" });
    expect(await attempt(workspaces, projectId, head, {})).toBeUndefined();
    expect(await attempt(workspaces, projectId, head, { "a.txt": "a" })).toBeUndefined();
    expect(await attempt(workspaces, projectId, head, (path) => mkdir(join(path, "empty")))).toBeUndefined();
  });

  test("may be taken again after more work", async () => {
    const { projectId, root } = await newProject();
    const worktree = await workspaces.checkOut(projectId, newAttemptId(), root);
    await doWork(worktree.path, { "a.txt": "a" });
    const first = await take(workspaces, worktree, root);
    expect(await take(workspaces, worktree, root)).toEqual(first);
    await doWork(worktree.path, { "b.txt": "b" });
    expect(await take(workspaces, worktree, root)).toMatchObject({ files: 2 });
    expect(await take(workspaces, worktree, first!.commit)).toMatchObject({ files: 1 });
    await workspaces.release(worktree);
  });

  test("leaves out what the tree's own .gitignore names, and nothing else", async () => {
    const { projectId, root } = await newProject();
    const head = await taken(projectId, root, {
      ".gitignore": "node_modules/\n*.log\n",
      "node_modules/x/index.js": "x",
      "a.log": "log",
      "a.orig": "kept",
      ".DS_Store": "kept",
      "sub/.gitignore": "!keep.log\n",
      "sub/keep.log": "kept",
    });
    expect((await workspaces.listFiles(projectId, head)).map(({ path }) => path)).toEqual(
      [".DS_Store", ".gitignore", "a.orig", "sub/.gitignore", "sub/keep.log"].sort(),
    );
  });

  test("keeps modes, links, removed files and bytes as they are", async () => {
    const { projectId, root } = await newProject();
    const head = await taken(projectId, root, async (path) => {
      await doWork(path, { "run.sh": "#!/bin/sh\r\n", "gone.txt": "", "src/a.ts": "a", "crlf.txt": "a\r\nb\n" });
      await chmod(join(path, "run.sh"), 0o755);
      await symlink("src/a.ts", join(path, "link"));
      await symlink("missing", join(path, "dangling"));
    });
    const next = await taken(projectId, head, (path) => rm(join(path, "gone.txt")));
    expect(await workspaces.changedFiles(projectId, head, next)).toEqual([{ path: "gone.txt", change: "removed" }]);
    expect(await workspaces.listFiles(projectId, next)).toMatchObject([
      { path: "crlf.txt", kind: "file", sizeBytes: 5 },
      { path: "dangling", kind: "link", sizeBytes: 7 },
      { path: "link", kind: "link", sizeBytes: 8 },
      { path: "run.sh", kind: "executable", sizeBytes: 11 },
      { path: "src/a.ts", kind: "file", sizeBytes: 1 },
    ]);
    const { path } = await workspaces.checkOut(projectId, newAttemptId(), next);
    expect((await lstat(join(path, "run.sh"))).mode & 0o111).toBe(0o111);
    expect((await lstat(join(path, "src/a.ts"))).mode & 0o111).toBe(0);
    expect(await readlink(join(path, "link"))).toBe("src/a.ts");
    expect(await readFile(join(path, "run.sh"), "utf8")).toBe("#!/bin/sh\r\n");
    // Nothing of git's is in the agent's reach.
    expect((await readdir(path)).sort()).toEqual(["crlf.txt", "dangling", "link", "run.sh", "src"]);
  });

  test("comes out as it went in, whatever files and attributes there are", async () => {
    const { projectId, root } = await newProject();
    const name = fc.constantFrom(
      "a",
      "B",
      "ü",
      "日本",
      " x",
      "-n",
      "--all",
      ":(top)",
      "*",
      "a\nb",
      '"',
      "\\",
      "~",
      "HEAD",
    );
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const attributes = fc.constantFrom(
      "* text",
      "* text eol=crlf",
      "* ident",
      "* working-tree-encoding=UTF-16",
      "* binary",
    );
    const files = fc.dictionary(path, fc.tuple(fc.uint8Array({ maxLength: 30 }), fc.boolean()), {
      minKeys: 1,
      maxKeys: 6,
    });
    await fc.assert(
      fc.asyncProperty(files, attributes, async (chosen, line) => {
        // A path cannot be both a file and a folder.
        const paths = Object.keys(chosen).filter(
          (one) => !Object.keys(chosen).some((other) => other.startsWith(`${one}/`)),
        );
        const wanted = Object.fromEntries(paths.map((one) => [one, chosen[one]!]));
        const head = await taken(projectId, root, async (tree) => {
          await doWork(tree, { ".gitattributes": `${line}\n`, ...Object.fromEntries(paths.map((one) => [one, ""])) });
          for (const [one, [content, isExecutable]] of Object.entries(wanted)) {
            await writeFile(join(tree, one), content);
            await chmod(join(tree, one), isExecutable ? 0o755 : 0o644);
          }
        });
        const worktree = await workspaces.checkOut(projectId, newAttemptId(), head);
        for (const [one, [content, isExecutable]] of Object.entries(wanted)) {
          expect(Buffer.compare(await readFile(join(worktree.path, one)), content)).toBe(0);
          expect(((await lstat(join(worktree.path, one))).mode & 0o100) !== 0).toBe(isExecutable);
          expect(Buffer.compare((await workspaces.readFile(projectId, head, one))!, content)).toBe(0);
        }
        expect(await workspaces.listFiles(projectId, head)).toHaveLength(paths.length + 1);
        expect(await take(workspaces, worktree, head)).toBeUndefined();
        await workspaces.release(worktree);
      }),
      { numRuns: isLong ? 60 : 3 },
    );
  });
});

describe("merging", () => {
  test("a result made from the head is the head", async () => {
    const { projectId, root } = await newProject();
    const mine = await taken(projectId, root, { "a.txt": "a" });
    expect(await workspaces.merge(projectId, { base: root, mine, head: root })).toEqual({ commit: mine });
  });

  test("puts a result on top of what came before, with its author, time and message", async () => {
    const { projectId, root } = await newProject();
    const text = Array.from({ length: 20 }, (_, line) => `line ${line}`);
    const base = await taken(projectId, root, { "a.txt": text.join("\n") });
    const head = await taken(projectId, base, { "a.txt": text.with(1, "theirs").join("\n"), "b.txt": "b" });
    const mine = await taken(projectId, base, { "a.txt": text.with(18, "mine").join("\n"), "c.txt": "c" });
    const commit = commitOf(await workspaces.merge(projectId, { base, mine, head }));
    expect((await workspaces.readFile(projectId, commit, "a.txt"))?.toString()).toBe(
      text.with(1, "theirs").with(18, "mine").join("\n"),
    );
    const format = (one: string) => git(folder, projectId, "log", "-1", "--format=%an|%ae|%ad|%cd|%B", one);
    expect(format(commit)).toBe(format(mine));
    expect(git(folder, projectId, "log", "-1", "--format=%P", commit).trim()).toBe(head);
    // Done again, by a node that took over, it is the same commit.
    expect(await workspaces.merge(projectId, { base, mine, head })).toEqual({ commit });
    expect(await workspaces.merge(projectId, { base, mine, head: commit })).toEqual({ commit });
  });

  test("names the paths that both have changed", async () => {
    const { projectId, root } = await newProject();
    const base = await taken(projectId, root, {
      "a.txt": "a",
      "ü/b c.txt": "b",
      "same.txt": "s",
      "gone.txt": "1\n2\n3\n",
    });
    const head = await taken(projectId, base, {
      "a.txt": "theirs",
      "ü/b c.txt": "theirs",
      "same.txt": "t",
      "gone.txt": "2",
    });
    const mine = await taken(projectId, base, async (path) => {
      await doWork(path, { "a.txt": "mine", "ü/b c.txt": "mine", "same.txt": "t", "new.txt": "n" });
      await rm(join(path, "gone.txt"));
    });
    expect(await workspaces.merge(projectId, { base, mine, head })).toEqual({
      conflicts: ["a.txt", "gone.txt", "ü/b c.txt"],
    });
  });

  test("names paths of the project where git makes names up: for a file in the way, and in a renamed folder", async () => {
    const { projectId, root } = await newProject();
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `${count} ${at}\n`).join("");
    const base = await taken(projectId, root, { f: lines(40), "d/1": lines(30), "d/2": lines(31), "a~b": "a" });
    const head = await taken(projectId, base, async (path) => {
      await rm(join(path, "f"));
      await rename(join(path, "d"), join(path, "e"));
      await doWork(path, { "f/k": "k", "a~b": "theirs" });
    });
    const mine = await taken(projectId, base, { f: `${lines(40)}mine`, "d/new": "n", "a~b": "mine" });
    expect(await workspaces.merge(projectId, { base, mine, head })).toEqual({ conflicts: ["a~b", "d/new", "f"] });
    expect(await workspaces.merge(projectId, { base, mine: head, head: mine })).toEqual({
      conflicts: ["a~b", "d/new", "f"],
    });
  });

  test("names a file once that each made another kind of thing of", async () => {
    const { projectId, root } = await newProject();
    const base = await taken(projectId, root, { f: "f", g: "g" });
    const head = await taken(projectId, base, { f: "theirs" });
    const mine = await taken(projectId, base, async (path) => {
      await rm(join(path, "f"));
      await symlink("g", join(path, "f"));
    });
    expect(await workspaces.merge(projectId, { base, mine, head })).toEqual({ conflicts: ["f"] });
  });

  test("brings back nothing that a rollback has taken away", async () => {
    const { projectId, root } = await newProject();
    const checkpoint = await taken(projectId, root, { "a.txt": "a" });
    const rolledBack = await taken(projectId, checkpoint, { "bad.txt": "bad" });
    const mine = await taken(projectId, rolledBack, { "good.txt": "good" });
    const head = await taken(projectId, checkpoint, { "b.txt": "b" });
    const commit = commitOf(await workspaces.merge(projectId, { base: rolledBack, mine, head }));
    const paths = (await workspaces.listFiles(projectId, commit)).map(({ path }) => path);
    expect(paths).toEqual(["a.txt", "b.txt", "good.txt"]);
  });

  test("gives the same files in any order, when results do not touch", async () => {
    const { projectId, root } = await newProject();
    const base = await taken(projectId, root, { "x/1": "0", "x/2": "0", "y/3": "0" });
    const contents = fc.uniqueArray(fc.constantFrom("x/1", "x/2", "y/3", "new", "z/new"), {
      minLength: 2,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(contents, fc.string({ minLength: 1 }), async (paths, text) => {
        const results = await Promise.all(paths.map((path) => taken(projectId, base, { [path]: `${path}${text}` })));
        const trees: string[] = [];
        for (const order of [results, results.toReversed()]) {
          let head = base;
          for (const mine of order) head = commitOf(await workspaces.merge(projectId, { base, mine, head }));
          trees.push(git(folder, projectId, "rev-parse", `${head}^{tree}`));
          expect(await workspaces.changedFiles(projectId, base, head)).toHaveLength(paths.length);
        }
        expect(trees[0]).toBe(trees[1]);
      }),
      { numRuns: isLong ? 30 : 2 },
    );
  });
});

test("a task costs five runs of git, fewer in a new project, and two more when the head has moved", async () => {
  const { projectId, root } = await newProject();
  const taking = (base: string, files: Work) =>
    countingGit(async () => {
      const mine = await taken(projectId, base, files);
      const head = commitOf(await workspaces.merge(projectId, { base, mine, head: base }));
      await workspaces.save(projectId, head);
    });
  expect(await countingGit(() => attempt(workspaces, projectId, root, {}))).toEqual([]);
  expect(await taking(root, { "a.txt": "a" })).toEqual(["add", "diff-index", "pack-objects", "write-tree"]);
  const other = await taken(projectId, root, { "other.txt": "x" });
  const runs = ["add", "diff-index", "pack-objects", "read-tree", "write-tree"];
  expect(await taking(other, { "a.txt": "a" })).toEqual(runs);
  const mine = await taken(projectId, root, { "a.txt": "a" });
  const mergeRuns = await countingGit(() => workspaces.merge(projectId, { base: root, mine, head: other }));
  expect(mergeRuns).toEqual(["diff-tree", "merge-tree"]);
});

describe("reading", () => {
  test("gives a file's bytes, and undefined for what is not a file", async () => {
    const { projectId, root } = await newProject();
    const head = await taken(projectId, root, { "a/b.txt": "b", missing: "x", ":x": "colon" });
    expect((await workspaces.readFile(projectId, head, "a/b.txt"))?.toString()).toBe("b");
    expect((await workspaces.readFile(projectId, head, ":x"))?.toString()).toBe("colon");
    for (const path of ["a", "a/c.txt", "", "/a/b.txt", "./a/b.txt", "a/../a/b.txt", "x\0y", "a/b.txt/"]) {
      expect(await workspaces.readFile(projectId, head, path)).toBeUndefined();
    }
  });

  test("refuses a file that is larger than asked for", async () => {
    const { projectId, root } = await newProject();
    const head = await taken(projectId, root, { "large.txt": "x".repeat(5_000) });
    const reading = workspaces.readFile(projectId, head, "large.txt", { maxBytes: 4_999 });
    await expect(reading).rejects.toMatchObject({ code: "too_large", path: "large.txt" });
    const far = workspaces.readFile(projectId, head, "large.txt", { maxBytes: 10 });
    await expect(far).rejects.toMatchObject({ code: "too_large" });
    expect(await workspaces.readFile(projectId, head, "large.txt", { maxBytes: 5_000 })).toHaveLength(5_000);
  });
});

test.for(["", "..", "proj_../x", "proj_A", "proj_", "/etc", "proj_a/b"])("'%s' is not a project's id", async (id) => {
  await expect(workspaces.open(id, undefined)).rejects.toThrow("is not the id of a project");
  await expect(workspaces.remove(id)).rejects.toThrow("is not the id of a project");
});

test.for(["", "..", "a/b", "A", "a.b", "a".repeat(121)])("'%s' is not an attempt's id", async (id) => {
  const { projectId, root } = await newProject();
  await expect(workspaces.checkOut(projectId, id, root)).rejects.toThrow("is not the id of an attempt");
  const worktree = { projectId, attemptId: id, path: folder };
  await expect(workspaces.release(worktree)).rejects.toThrow("is not the id of an attempt");
});

test.for(["", "HEAD", "--all", "main", "0".repeat(39), `${"0".repeat(40)}\n`])(
  "'%s' is not a commit's id",
  async (id) => {
    const { projectId, root } = await newProject();
    await expect(workspaces.checkOut(projectId, newAttemptId(), id)).rejects.toThrow("is not the id of a commit");
    await expect(workspaces.save(projectId, id)).rejects.toThrow("is not the id of a commit");
    await expect(workspaces.merge(projectId, { base: root, mine: id, head: root })).rejects.toThrow(
      "not the id of a commit",
    );
  },
);

test("a commit that is nowhere is an error that leaves no folder", async () => {
  const { projectId, root } = await newProject();
  const nowhere = "1".repeat(40);
  await expect(workspaces.checkOut(projectId, "att_nowhere", nowhere)).rejects.toMatchObject({
    code: "unknown_commit",
  });
  expect(await readdir(join(folder, projectId, "attempts"))).toEqual([]);
  await expect(workspaces.save(projectId, nowhere)).rejects.toMatchObject({ code: "unknown_commit" });
  const merging = workspaces.merge(projectId, { base: root, mine: nowhere, head: nowhere.replace("1", "2") });
  await expect(merging).rejects.toMatchObject({ code: "unknown_commit" });
});

async function newProject(): Promise<{ projectId: string; root: string }> {
  const projectId = newProjectId();
  return { projectId, root: (await workspaces.open(projectId, undefined)).commit };
}

async function taken(projectId: string, base: string, work: Work): Promise<string> {
  return (await attempt(workspaces, projectId, base, work))!.commit;
}

/** Which of git's commands are run meanwhile. */
async function countingGit(work: () => Promise<unknown>): Promise<string[]> {
  const place = await mkdtemp(join(folder, "counting-"));
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  await writeFile(join(place, "git"), `#!/bin/sh\necho "$*" >> '${place}/runs'\nexec '${real}' "$@"\n`, {
    mode: 0o755,
  });
  await writeFile(join(place, "runs"), "");
  const { PATH } = process.env;
  process.env["PATH"] = `${place}:${PATH}`;
  try {
    await work();
  } finally {
    process.env["PATH"] = PATH;
  }
  const lines = (await readFile(join(place, "runs"), "utf8")).split("\n").slice(0, -1);
  return lines
    .map(
      (line) =>
        line
          .replaceAll(/ -c \S+/g, "")
          .split(" ")
          .find((word) => !word.startsWith("--"))!,
    )
    .sort();
}

function commitOf(merged: Merged): string {
  if (!("commit" in merged)) throw new Error(`There are conflicts: ${merged.conflicts.join()}`);
  return merged.commit;
}
