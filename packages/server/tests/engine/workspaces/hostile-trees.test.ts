import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Workspaces } from "../../../src/engine/workspaces/workspaces.ts";
import type { WorkspaceError } from "../../../src/platform/git/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { plainUsers, testFolder } from "../../support/database/run-starter.ts";
import {
  attempt,
  createTestWorkspaces,
  doWork,
  newAttemptId,
  newProjectId,
  take,
  type Work,
} from "../../support/workspaces/test-workspaces.ts";

const { workspaces, folder, blobs } = await createTestWorkspaces();
const projectId = newProjectId();
const { commit: root } = await workspaces.open(projectId, undefined);
/** Where planted programs would leave a sign of themselves. */
const signs = join(folder, "signs");
await mkdir(signs);
const touch = (name: string) => `#!/bin/sh\ntouch '${signs}/${name}'\nexec cat\n`;

/** Files below one folder whose path is so long that those of all files take megabytes. */
const manyLongNames = (count: number, name: string) => (path: string) => {
  const deep = join(path, ...Array.from({ length: 14 }, () => "d".repeat(250)));
  mkdirSync(deep, { recursive: true });
  for (let index = 0; index < count; index += 1) writeFileSync(join(deep, `${name}${index}`), "");
};

const nestedRepositories: Readonly<Record<string, { work: Work; path: string }>> = {
  "at the root, begun by the agent": { work: (path) => begin(path), path: ".git" },
  "with commits of its own": {
    work: (path) => begin(join(path, "vendor/lib"), { isCommitted: true }),
    path: "vendor/lib/.git",
  },
  "without any commit": { work: (path) => begin(join(path, "vendor/lib")), path: "vendor/lib/.git" },
  "that is none, but has the name": { work: { "a/b/.git/config": "[core]\n" }, path: "a/b/.git" },
  "that is a file pointing elsewhere": { work: { "a/.git": "gitdir: /etc\n" }, path: "a/.git" },
  "that is a link": { work: (path) => symlink("a", join(path, ".git")), path: ".git" },
};

test("files whose paths are too long together to be listed are refused", { tags: "long" }, async () => {
  await expect(attempt(workspaces, projectId, root, manyLongNames(12_000, "a"))).rejects.toMatchObject({
    code: "unacceptable_file",
    message: expect.stringContaining("The paths of all files have more than 40 MiB together"),
  });
});

test("so are those of two results that are merged", { tags: "long" }, async () => {
  const [mine, head] = [
    await attempt(workspaces, projectId, root, manyLongNames(6_000, "a")),
    await attempt(workspaces, projectId, root, manyLongNames(6_000, "b")),
  ];
  const merging = workspaces.merge(projectId, { base: root, mine: mine!.commit, head: head!.commit });
  await expect(merging).rejects.toMatchObject({ code: "unacceptable_file" });
});

test("a multitude of empty folders is looked through and removed without asking for all at once", {
  tags: "long",
}, async () => {
  const worktree = await workspaces.checkOut(projectId, newAttemptId(), root);
  await doWork(worktree.path, { "a.txt": "a" });
  for (let index = 0; index < 5_000; index += 1) mkdirSync(join(worktree.path, `folder-${index}`));
  const taking = await watchCalls(take(workspaces, worktree, root));
  expect(taking).toMatchObject({ value: { files: 1 } });
  const removing = await watchCalls(workspaces.release(worktree));
  expect(Math.max(taking.maxCalls, removing.maxCalls)).toBeLessThan(100);
});

test("more files than a project may have are refused, unless git ignores them", async () => {
  const few = new Workspaces({ folder, blobs, log: quietLog, maxFiles: 10 });
  const files = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`out/${at}.txt`, ""]));
  expect(await attempt(few, projectId, root, files(10))).toMatchObject({ files: 10 });
  await expect(attempt(few, projectId, root, files(11))).rejects.toMatchObject({
    code: "unacceptable_file",
    message: expect.stringContaining("has 11 files, more than the 10"),
  });
  expect(await attempt(few, projectId, root, { ...files(11), ".gitignore": "out/\n" })).toMatchObject({ files: 1 });
});

test("so are more files than that of two results that are merged", { tags: "long" }, async () => {
  const few = new Workspaces({ folder, blobs, log: quietLog, maxFiles: 1_500 });
  const files = (name: string) => Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`${name}/${at}`, ""]));
  const [mine, head] = [
    await attempt(few, projectId, root, files("a")),
    await attempt(few, projectId, root, files("b")),
  ];
  await expect(few.merge(projectId, { base: root, mine: mine!.commit, head: head!.commit })).rejects.toMatchObject({
    code: "unacceptable_file",
    message: expect.stringContaining("has 2000 files, more than the 1500"),
  });
});

describe("a repository inside of a workspace is refused:", () => {
  test.for(Object.entries(nestedRepositories))("%s", async ([, { work, path }]) => {
    const error = await refused({ "other.txt": "fine" }, work);
    expect(error).toMatchObject({ code: "nested_repository", path });
    expect(error.message).toContain(`'${path}'`);
  });

  test("and git does not wait for a pipe in it", async () => {
    const quick = new Workspaces({ folder, blobs, log: quietLog, gitLimitMs: 10_000 });
    const worktree = await quick.checkOut(projectId, newAttemptId(), root);
    onTestFinished(() => quick.release(worktree));
    await doWork(worktree.path, { ".gitignore": "/deps/", "a.txt": "a" });
    for (const path of ["deps/lib", "lib"]) {
      await begin(join(worktree.path, path), { isCommitted: true });
      await rm(join(worktree.path, path, ".git/HEAD"));
      execFileSync("mkfifo", [join(worktree.path, path, ".git/HEAD")]);
    }
    const refusal = { code: "nested_repository", path: "lib/.git" };
    await expect(take(quick, worktree, root)).rejects.toMatchObject(refusal);
    await rm(join(worktree.path, "lib"), { recursive: true });
    expect(await take(quick, worktree, root)).toMatchObject({ files: 2 });
  });

  test("not where it is ignored: builds fetch such things", async () => {
    const result = await attempt(workspaces, projectId, root, async (path) => {
      await doWork(path, { ".gitignore": "/deps/\nbuild\n", "a.txt": "a", "build/_deps/.git/HEAD": "x" });
      await begin(join(path, "deps/lib"), { isCommitted: true });
    });
    expect(result).toMatchObject({ files: 2 });
  });

  test("also in a tree of more folders than are looked at without asking git", { tags: "long" }, async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`folder-${index}/a.txt`, ""]));
    expect(await attempt(workspaces, projectId, root, many)).toMatchObject({ files: 600 });
    expect(await refused({ ...many, "folder-599/deep/.git": "x" })).toMatchObject({ path: "folder-599/deep/.git" });
  });

  test("and may be taken away, and the result taken then", async () => {
    const worktree = await workspaces.checkOut(projectId, newAttemptId(), root);
    await doWork(worktree.path, { "a.txt": "a" });
    await begin(join(worktree.path, "lib"), { isCommitted: true });
    await expect(take(workspaces, worktree, root)).rejects.toMatchObject({ code: "nested_repository" });
    await expect(take(workspaces, worktree, root)).rejects.toMatchObject({ code: "nested_repository" });
    await rm(join(worktree.path, "lib/.git"), { recursive: true });
    expect(await take(workspaces, worktree, root)).toMatchObject({ files: 2 });
    await workspaces.release(worktree);
  });
});

test.for([
  ".GIT/config",
  "a/.Git/hooks/x",
  "git~1/config",
  ".git /x",
  ".g\u200cit/config",
  ".git::$INDEX_ALLOCATION/x",
])("a path that some system takes for .git is refused: %s", async (path) => {
  const error = await refused({ [path]: "x" });
  expect(error).toMatchObject({ code: "unacceptable_file", path });
  expect(error.message).toContain(`'${path}'`);
});

test("names that only look like it are taken", async () => {
  const files = { ".github/x": "", ".gitkeep": "", "git/x": "", ".gitmodules": "[x", "a.git/HEAD": "", "...": "" };
  expect(await attempt(workspaces, projectId, root, files)).toMatchObject({ files: 6 });
});

const leaving: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "by an absolute path": { link: "/etc/passwd" },
  "by climbing": { link: "../../index" },
  "by climbing from a folder": { "a/b/link": "../../../x" },
  "by leaving and coming back": { link: "../tree/a.txt" },
  "through another link": { here: "a/b", "a/b/up": "../..", link: "here/up/.." },
};

describe("a link out of the workspace is refused:", () => {
  test.for(Object.entries(leaving))("%s", async ([, links]) => {
    const error = await refused({ "a/b/c.txt": "c" }, (path) => plantLinks(path, links));
    expect(error).toMatchObject({ code: "link_leaves_tree", path: Object.keys(links).at(-1) });
    expect(error.message).toContain(`'${error.path}' → '${Object.values(links).at(-1)}'`);
  });

  test("on one line that is not long, whatever it is called", async () => {
    const error = await refused({}, (path) => plantLinks(path, { "a\nb\u001b[31m": `/${"x".repeat(3_000)}\ny` }));
    expect(error).toMatchObject({ code: "link_leaves_tree", path: "a\nb\u001b[31m" });
    expect(error.message).toMatch(/^The link 'a b' → '\/x{150,200}…' leads out of the workspace\.$/);
  });

  test("also one that leaves only since another one is gone", async () => {
    const links = { b: "c/d/e", link: "b/../.." };
    const base = (await attempt(workspaces, projectId, root, async (path) => {
      await doWork(path, { "c/d/e/f.txt": "f" });
      await plantLinks(path, links);
    }))!.commit;
    const error = await refusedFrom(base, async (path) => {
      await rm(join(path, "b"));
      await doWork(path, { "b/x.txt": "x" });
    });
    expect(error).toMatchObject({ code: "link_leaves_tree", path: "link" });
  });

  test("also when only both sides of a merge together lead out", async () => {
    const base = await taken(root, async (path) => {
      await doWork(path, { "c/d/e/f.txt": "f", "x/y.txt": "y" });
      await plantLinks(path, { b: "c/d/e" });
    });
    const head = await taken(base, async (path) => {
      await rm(join(path, "b"));
      await symlink("x", join(path, "b"));
    });
    const mine = await taken(base, (path) => symlink("b/../..", join(path, "link")));
    await expect(workspaces.merge(projectId, { base, mine, head })).rejects.toMatchObject({
      code: "link_leaves_tree",
      path: "link",
    });
  });

  test("not one inside, one that leads nowhere, or a circle", async () => {
    const links = { "a/up": "..", down: "a/b", circle: "circle", nowhere: "missing/x", "a/b/root": "../../a.txt" };
    expect(await attempt(workspaces, projectId, root, (path) => plantLinks(path, links))).toMatchObject({ files: 5 });
  });

  test("not one that is ignored", async () => {
    const result = await attempt(workspaces, projectId, root, async (path) => {
      await doWork(path, { ".gitignore": "venv/\n", "venv/x": "" });
      await symlink("/usr/bin/python3", join(path, "venv/python"));
    });
    expect(result).toMatchObject({ files: 1 });
  });
});

describe("what is neither file, folder nor link, or a giant, is refused before git reads it:", () => {
  test("a pipe, a socket's file or a device, wherever it is", async () => {
    for (const path of ["pipe", "a/b/.gitignore", ".gitattributes"]) {
      const error = await refused({ "a/b/c.txt": "c" }, (tree) => {
        execFileSync("mkfifo", [join(tree, path)]);
      });
      expect(error).toMatchObject({ code: "unacceptable_file", path });
      expect(error.message).toContain(`'${path}' is a pipe: `);
    }
  });

  test("a pipe that git would read, below another one or more folders than are looked at", async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`folder-${index}/a.txt`, ""]));
    for (const files of [
      { ".gitignore": "*.sock\n", "a/b.txt": "b" },
      { ...many, "a/b.txt": "b" },
    ]) {
      const error = await refused(files, (tree) => {
        execFileSync("mkfifo", [join(tree, "x.sock"), join(tree, "a/.gitignore")]);
      });
      expect(error).toMatchObject({ code: "unacceptable_file", path: "a/.gitignore" });
    }
  });

  test("whatever is in a folder, or is a file, whose name is not UTF-8", async () => {
    const commands = [
      "mkfifo $n/.gitattributes",
      "mkfifo $n/.gitignore",
      "git init -q $n",
      "truncate -s 600M $n/giant",
    ];
    for (const command of [...commands, "ln -s /etc $n/x", "rmdir $n && ln -s /etc $n"]) {
      const error = await refused({ "a.txt": "a", ".gitignore": "\ufffd\n" }, (tree) => {
        execFileSync("sh", ["-c", `n=$(printf '\\377'); mkdir $n; ${command}`], { cwd: tree });
      });
      expect(error, command).toMatchObject({ code: "unacceptable_file" });
    }
  });

  test("whatever has a longer path than the system takes, though git would take it from the folder on", {
    tags: "long",
  }, async () => {
    // Git takes 4,095 bytes from the folder on, and the system as many with the folder.
    const dig = (folders: number, command: string) => (tree: string) => {
      const name = "a".repeat(100);
      const text = `for i in $(seq ${folders}); do mkdir ${name} && cd -P ${name}; done; ${command}`;
      execFileSync("sh", ["-c", text], { cwd: tree });
    };
    for (const command of ["echo x > f", "mkfifo .gitignore", "truncate -s 600M giant", "ln -s /etc x", "mkfifo p"]) {
      const error = await refused({ "a.txt": "a" }, dig(40, command));
      expect(error, command).toMatchObject({ code: "unacceptable_file", path: expect.stringMatching(/^a{100}\//) });
    }
    expect((await refused({ "a.txt": "a" }, dig(45, "echo x > f"))).message).toMatch(/^'a.*…' has a path longer than/);
    const ignored = await attempt(workspaces, projectId, root, async (tree) => {
      await doWork(tree, { ".gitignore": "/a*/\n", "b.txt": "b" });
      dig(45, "truncate -s 600M giant")(tree);
    });
    expect(ignored).toMatchObject({ files: 2 });
  });

  test("a path that fits here, but not below every folder where the project's files are laid", async () => {
    const pathOf = (bytes: number) => `${`${"a".repeat(99)}/`.repeat(35)}${"b".repeat(bytes - 3_500)}`;
    expect(await taken(root, { [pathOf(3_600)]: "x" })).toBeDefined();
    const error = await refused({ [pathOf(3_601)]: "x" });
    expect(error).toMatchObject({ code: "unacceptable_file", path: pathOf(3_601) });
    expect(error.message).toMatch(/has a path longer than 3600 bytes/);
  });

  test("a pipe in the place of a file that was there", async () => {
    const base = await taken(root, { "package.json": "{}" });
    const error = await refusedFrom(base, async (tree) => {
      await rm(join(tree, "package.json"));
      execFileSync("mkfifo", [join(tree, "package.json")]);
    });
    expect(error).toMatchObject({ code: "unacceptable_file", path: "package.json" });
  });

  test("a giant of which there is nothing on the disk, and many that are one together", async () => {
    const grow = async (tree: string, names: readonly string[], bytes: number) => {
      for (const name of names) {
        await writeFile(join(tree, name), "");
        await truncate(join(tree, name), bytes);
      }
    };
    const error = await refused({}, (tree) => grow(tree, ["giant"], 10 * 2 ** 30));
    expect(error).toMatchObject({ code: "unacceptable_file", path: "giant" });
    expect(error.message).toContain("'giant' is larger than 512 MiB");
    const many = Array.from({ length: 400 }, (_, index) => `part-${index}`);
    const together = await refused({}, (tree) => grow(tree, many, 10 * 2 ** 20));
    expect(together.message).toMatch(/^'part-\d+' and the others are larger than 2048 MiB/);
    // Each checkout writes them whole.
    const small = Array.from({ length: 2_100 }, (_, index) => `small-${index}`);
    const whole = await refused({}, (tree) => grow(tree, small, 2 ** 20));
    expect(whole.message).toMatch(/^'small-\d+' and the others are larger than 2048 MiB/);
  });

  test("not where it is ignored", async () => {
    const result = await attempt(workspaces, projectId, root, async (tree) => {
      await doWork(tree, { ".gitignore": "cache/\n*.sock\n", "a.txt": "a", "cache/b.txt": "b" });
      execFileSync("mkfifo", [join(tree, "cache/pipe")]);
      execFileSync("mkfifo", [join(tree, "x.sock")]);
      await writeFile(join(tree, "cache/giant"), "");
      await truncate(join(tree, "cache/giant"), 10 * 2 ** 30);
    });
    expect(result).toMatchObject({ files: 2 });
  });
});

test.skipIf(process.platform !== "linux")(
  "files of which git needs too much memory are not merged",
  { tags: "long" },
  async () => {
    // Git takes about eighty bytes a line.
    const lines = "\n".repeat(40_000_000);
    const base = await taken(root, { "a.txt": lines });
    const mine = await taken(base, { "a.txt": `mine${lines}` });
    const head = await taken(base, { "a.txt": `${lines}theirs` });
    await expect(workspaces.merge(projectId, { base, mine, head })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("git merge-tree needs more memory than"),
    });
  },
);

describe("nothing that an agent leaves behind is run:", () => {
  test("filters and drivers of .gitattributes", async () => {
    const script = join(folder, "filter.sh");
    await writeFile(script, touch("filter"), { mode: 0o755 });
    const base = await taken(root, { "a.txt": "a" });
    const planted = {
      ".gitattributes": "* filter=evil diff=evil merge=evil\n",
      ".gitconfig": `[filter "evil"]\nclean = ${script}\nsmudge = ${script}\nrequired = true\n[merge "evil"]\ndriver = ${script}\n`,
      ".lfsconfig": "",
    };
    const mine = await taken(base, { ...planted, "b.txt": "mine", "a.txt": "mine" });
    const head = await taken(base, { ...planted, "c.txt": "theirs", "a.txt": "theirs" });
    expect(await workspaces.merge(projectId, { base, mine, head })).toEqual({ conflicts: ["a.txt"] });
    await workspaces.release(await workspaces.checkOut(projectId, newAttemptId(), mine));
    await workspaces.save(projectId, mine);
    expect(await readdir(signs)).toEqual([]);
  });

  test("hooks, fsmonitor and aliases of a repository in the tree", async () => {
    const script = join(folder, "planted.sh");
    await writeFile(script, touch("planted"), { mode: 0o755 });
    const worktree = await workspaces.checkOut(projectId, newAttemptId(), root);
    for (const place of [worktree.path, join(worktree.path, "lib")]) {
      await begin(place, { isCommitted: true });
      await writeFile(
        join(place, ".git/config"),
        `[core]\n\tfsmonitor = ${script}\n\thooksPath = ${folder}\n\teditor = ${script}\n\tsshCommand = ${script}\n[alias]\n\tadd = !${script}\n`,
        { flag: "a" },
      );
      await doWork(place, { "x.txt": "x" });
    }
    await expect(take(workspaces, worktree, root)).rejects.toMatchObject({ code: "nested_repository" });
    await expect(take(workspaces, worktree, root)).rejects.toMatchObject({ code: "nested_repository" });
    expect(await readdir(signs)).toEqual([]);
    await workspaces.release(worktree);
  });

  test("what the operator's own environment and home would have git do", async () => {
    const home = join(folder, "operator");
    const script = join(home, "hooks/planted.sh");
    await doWork(home, {
      "hooks/planted.sh": touch("operator"),
      ".gitconfig": `[core]\n\tfsmonitor = ${script}\n\texcludesFile = ${home}/ignore\n\tattributesFile = ${home}/attributes\n\tautocrlf = true\n[filter "evil"]\n\tclean = ${script}\n`,
      ignore: "*.txt\n",
      attributes: "* filter=evil\n",
    });
    await chmod(script, 0o755);
    // Taken back after the test: other files run in the same process.
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ["HOME", "XDG_CONFIG_HOME"]) vi.stubEnv(name, home);
    for (const name of ["GIT_DIR", "GIT_INDEX_FILE"]) vi.stubEnv(name, "/nowhere");
    const head = await taken(root, { "a.txt": "a\r\n" });
    expect((await workspaces.readFile(projectId, head, "a.txt"))?.toString()).toBe("a\r\n");
    expect(await readdir(signs)).toEqual([]);
  });
});

test("a folder that was put in the place of the workspace is not taken", async () => {
  const worktree = await workspaces.checkOut(projectId, newAttemptId(), root);
  await rename(worktree.path, `${worktree.path}-moved`);
  await symlink("/etc", worktree.path);
  await expect(take(workspaces, worktree, root)).rejects.toMatchObject({ code: "unacceptable_file" });
  await workspaces.release(worktree);
});

test("files and folders that are closed to us are named, not passed over, and removed all the same", {
  tags: "long",
}, async ({ skip }) => {
  const [user] = plainUsers;
  skip(user === undefined, "no plain user can read this repository");
  const place = await testFolder(user);
  const script = join(import.meta.dirname, "../../support/workspaces/take-closed-files.ts");
  const output = execFileSync(process.execPath, [script, place], { ...user, cwd: place, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual({
    folder: "unacceptable_file: 'closed' cannot be committed: could not open directory 'closed/': Permission denied",
    file: "unacceptable_file: 'closed/a.txt' cannot be committed: open(\"closed/a.txt\"): Permission denied",
    root: "unacceptable_file: The workspace cannot be committed: this operation must be run in a work tree",
    readOnly: "1 taken",
  });
  expect(await readdir(join(place, "workspaces/proj_1/attempts"))).toEqual([]);
});

describe("a workspace is removed", () => {
  test("with closed folders in it", async () => {
    await releasedAfter(async (path) => {
      await doWork(path, { "closed/deeper/a.txt": "a", "read-only/b.txt": "b" });
      await chmod(join(path, "closed/deeper"), 0);
      await chmod(join(path, "closed"), 0);
      await chmod(join(path, "read-only"), 0o500);
    });
  });

  test("with paths longer than the system takes in one piece", async () => {
    await releasedAfter((path) => {
      const dig =
        "for (let i = 0; i < 30; i++) { const name = 'x'.repeat(250); fs.mkdirSync(name); process.chdir(name); }";
      execFileSync(process.execPath, ["-e", dig], { cwd: path });
    });
  });

  test("without what its links point to", async () => {
    const outside = join(folder, "outside");
    await doWork(outside, { "a.txt": "a" });
    await releasedAfter((path) => symlink(outside, join(path, "link")));
    expect(await readdir(outside)).toEqual(["a.txt"]);
  });

  async function releasedAfter(work: (path: string) => unknown): Promise<void> {
    const worktree = await workspaces.checkOut(projectId, newAttemptId(), root);
    await work(worktree.path);
    await workspaces.release(worktree);
    expect(await readdir(join(folder, projectId, "attempts"))).not.toContain(worktree.attemptId);
    await workspaces.release(worktree);
  }
});

/** A repository as an agent would begin one. */
async function begin(path: string, { isCommitted = false } = {}): Promise<void> {
  await doWork(path, { "README.md": "x" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", path, "-c", "user.name=x", "-c", "user.email=x", ...args]);
  git("init", "--quiet");
  if (!isCommitted) return;
  git("add", "--all");
  git("commit", "--quiet", "--message", "x");
}

/** The most calls to the disk that were in flight at once while something ran. */
async function watchCalls<T>(work: Promise<T>): Promise<{ value: T; maxCalls: number }> {
  let [maxCalls, isOver] = [0, false];
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const calls = process.getActiveResourcesInfo().filter((name) => name.startsWith("FSReq")).length;
    maxCalls = Math.max(maxCalls, calls);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { value: await ended, maxCalls };
}

async function plantLinks(path: string, links: Readonly<Record<string, string>>): Promise<void> {
  for (const [place, target] of Object.entries(links)) {
    await mkdir(join(path, place, ".."), { recursive: true });
    await symlink(target, join(path, place));
  }
}

async function taken(base: string, work: Work): Promise<string> {
  return (await attempt(workspaces, projectId, base, work))!.commit;
}

async function refused(...works: Work[]): Promise<WorkspaceError> {
  return refusedFrom(root, async (path) => {
    for (const work of works) await doWork(path, work);
  });
}

async function refusedFrom(base: string, work: Work): Promise<WorkspaceError> {
  return attempt(workspaces, projectId, base, work).then(
    () => expect.unreachable(),
    (error: WorkspaceError) => error,
  );
}
