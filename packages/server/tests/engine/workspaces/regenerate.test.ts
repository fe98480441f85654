// @module-tag soak

import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { editsOver } from "../../../src/platform/git/lay-over.ts";
import {
  attempt,
  author,
  createTestWorkspaces,
  doWork,
  newAttemptId,
  newProjectId,
  type Work,
} from "../../support/workspaces/test-workspaces.ts";

const { workspaces } = await createTestWorkspaces();
const projectId = newProjectId();
const { commit: root } = await workspaces.open(projectId, undefined);

const commitOf = async (work: Work) => (await attempt(workspaces, projectId, root, work))?.commit ?? root;

async function filesAt(commit: string): Promise<Record<string, string>> {
  const listed = await workspaces.listFiles(projectId, commit);
  const read = async (path: string) => (await workspaces.readFile(projectId, commit, path))!.toString("latin1");
  // Only what may still be read at once.
  const small = listed.filter(({ sizeBytes }) => sizeBytes <= 16 * 2 ** 20);
  return Object.fromEntries(await Promise.all(small.map(async ({ path }) => [path, await read(path)])));
}

async function regenerated(base: Work, yours: Work, now: Work) {
  const commits = { base: await commitOf(base), yours: await commitOf(yours), regenerated: await commitOf(now) };
  const { commit, ...report } = await workspaces.regenerate(projectId, commits);
  return { ...report, files: await filesAt(commit) };
}

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join("");

describe("regenerating", () => {
  test("puts changes at different places of a file together", async () => {
    const before = lines("1", "2", "3", "4", "5", "6", "7");
    const { files, conflicts } = await regenerated(
      { a: before },
      { a: before.replace("2", "mine") },
      { a: before.replace("6", "new") },
    );
    expect(conflicts).toEqual([]);
    expect(files["a"]).toBe(lines("1", "mine", "3", "4", "5", "new", "7"));
  });

  test("marks changes at the same place, and says in which lines", async () => {
    const { files, conflicts } = await regenerated(
      { a: lines("1", "2") },
      { a: lines("1", "mine") },
      { a: lines("1", "new") },
    );
    expect(files["a"]).toBe(lines("1", "<<<<<<< yours", "mine", "=======", "new", ">>>>>>> regenerated"));
    expect(conflicts).toEqual([{ path: "a", kind: "changed", lines: [{ from: 2, to: 6 }] }]);
  });

  test("keeps whatever encoding a text has", { tags: "long" }, async () => {
    const latin = (text: string) => async (folder: string) => writeFile(join(folder, "a"), Buffer.from(text, "latin1"));
    const { files } = await regenerated(latin("gr\xfcn\r\n"), latin("gr\xfcner\r\n"), latin("gr\xfcn!\r\n"));
    expect(files["a"]).toContain("gr\xfcner\r\n=======\r\ngr\xfcn!\r\n>>>>>>> regenerated");
  });

  test("marks a file that both added", { tags: "long" }, async () => {
    const { conflicts } = await regenerated({}, { a: "mine\n" }, { a: "new\n" });
    expect(conflicts).toMatchObject([{ path: "a", kind: "added", lines: [{ from: 1, to: 5 }] }]);
  });

  test("leaves the person's version of a binary file, and the other beside it", async () => {
    const { files, conflicts } = await regenerated(
      { "a.png": "\0a", "a.png.regenerated": "taken" },
      { "a.png": "\0mine", "a.png.regenerated": "taken" },
      { "a.png": "\0new", "a.png.regenerated": "taken" },
    );
    expect(files).toEqual({ "a.png": "\0mine", "a.png.regenerated": "taken", "a.png.regenerated-2": "\0new" });
    expect(conflicts).toEqual([{ path: "a.png", kind: "binary", lines: [], beside: "a.png.regenerated-2" }]);
  });

  test("does the same with a text of millions of lines", { tags: "long" }, async () => {
    const { files, conflicts } = await regenerated({ a: "1\n" }, { a: "\n".repeat(5_000_000) }, { a: "new\n" });
    expect(conflicts).toEqual([{ path: "a", kind: "binary", lines: [], beside: "a.regenerated" }]);
    expect(files["a"]).toHaveLength(5_000_000);
  });

  test("does the same with one of 65 MB", { tags: "long" }, async () => {
    const { conflicts } = await regenerated({ a: "1\n" }, { a: "x".repeat(65 * 2 ** 20) }, { a: "new\n" });
    expect(conflicts).toEqual([{ path: "a", kind: "binary", lines: [], beside: "a.regenerated" }]);
  });

  test("takes the changed one of two versions of a binary file", { tags: "long" }, async () => {
    const { files, conflicts } = await regenerated(
      { a: "\0a", b: "\0b" },
      { a: "\0mine", b: "\0b" },
      { a: "\0a", b: "\0new" },
    );
    expect({ files, conflicts }).toEqual({ files: { a: "\0mine", b: "\0new" }, conflicts: [] });
  });

  test("moves a file aside where the other has a folder", { tags: "long" }, async () => {
    const { files, conflicts } = await regenerated({}, { docs: "mine" }, { "docs/a": "new" });
    expect(files).toEqual({ "docs.yours": "mine", "docs/a": "new" });
    expect(conflicts).toEqual([{ path: "docs", kind: "place", lines: [], beside: "docs.yours" }]);
  });

  test("loses no folder that has the name under which a file is moved aside", { tags: "long" }, async () => {
    const yours = { docs: "mine", "docs.yours/a": "too" };
    const { files, conflicts } = await regenerated({}, yours, { "docs/a": "new" });
    expect(files).toEqual({ "docs.yours-2": "mine", "docs.yours/a": "too", "docs/a": "new" });
    expect(conflicts).toEqual([{ path: "docs", kind: "place", lines: [], beside: "docs.yours-2" }]);
  });

  test("loses no other file that both changed and that has the name of one beside it", { tags: "long" }, async () => {
    const [name, both] = ["a.png", "a.png.regenerated"];
    const { files } = await regenerated(
      { [name]: "\0", [both]: "\0" },
      { [name]: "\0mine", [both]: "\0mine too" },
      { [name]: "\0new", [both]: "\0new too" },
    );
    const beside = { [`${both}-2`]: "\0new", [`${both}.regenerated`]: "\0new too" };
    expect(files).toEqual({ [name]: "\0mine", [both]: "\0mine too", ...beside });
  });

  test("makes no name that is too long for a file", { tags: "long" }, async () => {
    const names = ["a", "b"].map((end) => "ü".repeat(126) + end);
    const all = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
    const { files } = await regenerated(all("\0"), all("\0mine"), all("\0new"));
    const beside = Object.keys(files).filter((name) => files[name] === "\0new");
    expect(beside.map((name) => Buffer.byteLength(name) <= 255)).toEqual([true, true]);
    expect(Object.keys(files)).toHaveLength(4);
  });

  test("says so where the person has made a link of a file that changes", { tags: "long" }, async () => {
    const yours = async (folder: string) => {
      await writeFile(join(folder, "b"), "b");
      await symlink("b", join(folder, "a"));
    };
    const { conflicts } = await regenerated({ a: "1\n" }, yours, { a: "2\n" });
    expect(conflicts).toHaveLength(1);
  });

  test("does not take a rename for one: the old file is deleted, the new one is the person's", {
    tags: "long",
  }, async () => {
    const text = lines("1", "2", "3", "4", "5", "6");
    const { files, conflicts } = await regenerated({ old: text }, { mine: text }, { old: text });
    expect({ files, conflicts }).toEqual({ files: { mine: text }, conflicts: [] });
  });

  test("finds files that are still marked, and no others", async () => {
    const commit = await commitOf({
      "a.md": "x\n<<<<<<< yours\n",
      "deep/b ü": ">>>>>>> regenerated\r\n",
      c: "  <<<<<<< yours\n",
      d: "<<<<<<< HEAD\n=======\n",
    });
    expect(await workspaces.findMarked(projectId, commit)).toEqual(["a.md", "deep/b ü"]);
    expect(await workspaces.findMarked(projectId, root)).toEqual([]);
  });
});

const isLong = process.env["SLIPWAY_LONG"] === "1";
const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 6 }).map((all) => lines(...all));
const tree = fc.dictionary(fc.constantFrom("one", "two", "deep/three"), text);
const own = fc.dictionary(fc.constantFrom("mine", "deep/mine"), text);

describe("for any three versions", () => {
  test("nothing changed by the person gives what is generated; nothing changed by the document what the person has", {
    tags: "long",
  }, async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (before, after) => {
        expect(await regenerated(before, before, after)).toMatchObject({ conflicts: [], kept: [], files: after });
        expect(await regenerated(before, after, before)).toMatchObject({ conflicts: [], kept: [], files: after });
      }),
      { numRuns: isLong ? 30 : 3 },
    );
  });

  test("no edit is lost: what the document left alone is as the person has it, the rest is marked or theirs", {
    tags: "long",
  }, async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, own, tree, async (base, edited, added, now) => {
        const yours = { ...edited, ...added };
        const { files, conflicts } = await regenerated(base, yours, now);
        const contested = new Set(conflicts.map(({ path }) => path));
        for (const path of Object.keys({ ...base, ...yours, ...now })) {
          const isUntouched = base[path] === now[path];
          if (isUntouched) expect(files[path], path).toBe(yours[path]);
          else if (yours[path] === base[path]) expect(files[path], path).toBe(now[path]);
          // Lines that nobody had before are the person's own.
          else
            for (const line of linesOf(yours[path]).filter((one) => !linesOf(base[path]).includes(one)))
              expect(linesOf(files[path]), path).toContain(line);
          if (yours[path] === base[path] || isUntouched) expect(contested.has(path), path).toBe(false);
        }
      }),
      { numRuns: isLong ? 50 : 5, examples: [[{ one: lines("a") }, {}, { mine: lines("a") }, { one: "" }]] },
    );
  });
});

const linesOf = (content = "") => content.split("\n");

describe("of a task", () => {
  test.for<readonly [mine: Work, others: Work]>(
    soakCases([
      [{ docs: "mine" }, { "docs/a": "others'" }],
      [{ "docs/a": "mine" }, { docs: "others'" }],
    ]),
  )("neither %o nor %o is lost: one is a file where the other is a folder", async ([mine, others]) => {
    const generated = await commitOf({ new: "new" });
    const versions = { base: root, yours: await commitOf(mine), regenerated: generated };
    const { commit: merged } = await workspaces.regenerate(projectId, versions);
    const base = await commitOf(others);
    const worktree = await workspaces.checkOut(projectId, newAttemptId(), base);
    await doWork(worktree.path, { new: "new" });
    const options = {
      base,
      author,
      message: "Build",
      trailers: {},
      at: new Date(0),
      regenerated: { generated, merged },
    };
    await expect(workspaces.takeResult(worktree, options)).rejects.toMatchObject({
      code: "unacceptable_file",
      path: "docs",
    });
    await workspaces.release(worktree);
  });
});

test("of a task, what is as it was generated becomes what it was merged to, and nothing else is touched", () => {
  const entry = (id: string) => ({ mode: "100644", id });
  const map = (entries: Record<string, string>) =>
    new Map(Object.entries(entries).map(([path, id]) => [path, entry(id)]));
  const now = map({ same: "n", edited: "n", deleted: "n", others: "o", agent: "x" });
  const generated = map({ same: "n", edited: "n", deleted: "n", agent: "n", later: "n" });
  const merged = map({ same: "n", edited: "m", agent: "m", later: "n", mine: "p", others: "q" });
  expect(editsOver(now, generated, merged)).toEqual([
    { path: "edited", entry: entry("m") },
    { path: "deleted" },
    { path: "mine", entry: entry("p") },
  ]);
});
