import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  attempt,
  author,
  createTestWorkspaces,
  doWork,
  newAttemptId,
  newProjectId,
  take,
  type Work,
} from "../../support/workspaces/test-workspaces.ts";

// What a person put, and what another agent of a run has made before the builder's turn.

const { workspaces } = await createTestWorkspaces();
const projectId = newProjectId();
const { commit: root } = await workspaces.open(projectId, undefined);

const commitOf = async (work: Work) => (await attempt(workspaces, projectId, root, work))?.commit ?? root;
const textAt = async (commit: string, path: string) =>
  (await workspaces.readFile(projectId, commit, path))?.toString("utf8");

interface Run {
  readonly generated: Readonly<Record<string, string>>;
  /** The result that the person began from, and what they made of it. */
  readonly began: Readonly<Record<string, string>>;
  readonly mine: Readonly<Record<string, string>>;
  /** What the other agent has made in this run. */
  readonly made: Work;
  /** What the builder does in its folder; its part of what is generated, unless said otherwise. */
  readonly builds?: Work;
}

/** The commit of a task of the builder. */
async function build({ generated, began, mine, made, builds = generated }: Run): Promise<string> {
  const regenerated = await commitOf(generated);
  const versions = { base: regenerated, yours: await commitOf(mine), regenerated };
  const { commit: merged } = await workspaces.regenerate(projectId, {
    ...versions,
    began: { result: await commitOf(began), merged: undefined },
  });
  const base = await commitOf(made);
  const worktree = await workspaces.checkOut(projectId, newAttemptId(), base);
  try {
    await doWork(worktree.path, builds);
    const given = { author, message: "Build", trailers: {}, at: new Date(0) };
    const parts = { generated: regenerated, merged };
    return (await workspaces.takeResult(worktree, { base, ...given, regenerated: parts }))!.commit;
  } finally {
    await workspaces.release(worktree);
  }
}

const ofAgent = { generated: { new: "n" }, began: { new: "n", "a.md": "made" }, mine: { new: "n", "a.md": "mine" } };

test("a file of another agent is the person's who changed it, if the agent has made the same again", {
  tags: "long",
}, async () => {
  expect(await textAt(await build({ ...ofAgent, made: { "a.md": "made" } }), "a.md")).toBe("mine");
  await expect(build({ ...ofAgent, made: { "a.md": "made anew" } })).rejects.toMatchObject({
    code: "unacceptable_file",
    message: expect.stringContaining("'a.md' is not the same file"),
  });
});

const ofBuilder = {
  generated: { "src/index.js": "generated" },
  began: { "src/index.js": "generated" },
  mine: { "src/index.js": "mine", "mine.md": "mine" },
};

test("a generated file that a person changed is theirs, though another agent has git ignore it", {
  tags: "long",
}, async () => {
  for (const made of [{ "src/.gitignore": "index.js\n" }, { ".gitignore": "src\n*.md\n" }]) {
    const commit = await build({ ...ofBuilder, made });
    expect([await textAt(commit, "src/index.js"), await textAt(commit, "mine.md")]).toEqual(["mine", "mine"]);
  }
});

const linked = async (folder: string) => {
  await mkdir(join(folder, "other"));
  await writeFile(join(folder, "other/a"), "a");
  await symlink("other", join(folder, "src"));
};

test("a generated file that a person changed is refused by its name where another agent has made a link of its folder", {
  tags: "long",
}, async () => {
  await expect(build({ ...ofBuilder, made: linked, builds: {} })).rejects.toMatchObject({
    code: "unacceptable_file",
    message: expect.stringContaining("'src/index.js' has no place"),
  });
});

test("so it is where git ignores that link", async () => {
  const builds = async (folder: string) => {
    await linked(folder);
    await writeFile(join(folder, ".gitignore"), "src\n");
  };
  await expect(build({ ...ofBuilder, made: { a: "a" }, builds })).rejects.toMatchObject({
    code: "unacceptable_file",
    message: expect.stringContaining("'src/index.js' has no place"),
  });
});

test("what a source was made from is taken from its archive, though git ignores it there", async () => {
  const application = newProjectId();
  await workspaces.open(application, undefined);
  const worktree = await workspaces.checkOut(application, newAttemptId(), root);
  await doWork(worktree.path, { ".gitignore": "src\n", "src/a": "a", "src/b": "mine", "src/new": "new", docs: "mine" });
  const of = async (work: Work) => {
    const commit = await commitOf(work);
    return { repositoryId: projectId, source: { commit, bundle: await workspaces.save(projectId, commit) } };
  };
  const [run, before] = [
    await of({ "src/a": "a", "src/b": "b", "src/gone": "c", docs: "a file" }),
    await of({ "docs/a": "a" }),
  ];
  await workspaces.track(worktree, [run, before]);
  const { commit } = (await take(workspaces, worktree, root))!;
  await workspaces.release(worktree);
  const listed = await workspaces.listFiles(application, commit);
  expect(listed.map(({ path }) => path).sort()).toEqual([".gitignore", "docs", "src/a", "src/b"]);
  const texts = ["src/a", "src/b"].map(async (path) => String(await workspaces.readFile(application, commit, path)));
  expect(await Promise.all(texts)).toEqual(["a", "mine"]);
  // What was saved of the run does not lie with the application's sources once more.
  await expect(workspaces.listFiles(application, run.source.commit)).rejects.toThrow();
});
