import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { type Commit, parseCommit, writeCommit } from "./commit-object.ts";
import { type Repository, runGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** The first commit of every repository, equal on every node. */
const root: Commit = {
  tree: objectId("tree", Buffer.alloc(0)),
  parents: [],
  signature: "Slipway <slipway@localhost> 0 +0000",
  message: "Begin\n",
};
export const rootCommit = objectId("commit", writeCommit(root));

/**
 * The files that make a folder a repository. Written here and not by `git init`: they are equal everywhere, need no process,
 * and are restored on every opening.
 */
const files: Readonly<Record<string, string>> = {
  HEAD: "ref: refs/heads/main\n",
  config: "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogallrefupdates = false\n[gc]\n\tauto = 0\n",
  // Git must not convert bytes, whatever .gitattributes in a tree say.
  "info/attributes": "* -text -ident -filter !eol !working-tree-encoding\n",
  "info/exclude": "",
};

/** Creates the repository if it is missing; safe to run concurrently. */
export async function makeRepository({ gitDir }: Repository): Promise<void> {
  if (await exists(gitDir)) return holdFiles(gitDir);
  const unfinished = `${gitDir}.${randomUUID()}`;
  try {
    await mkdir(dirname(gitDir), { recursive: true, mode: 0o700 });
    await mkdir(unfinished, { mode: 0o700 });
    for (const folder of ["info", "objects/info", "objects/pack", "refs/heads"]) {
      await mkdir(join(unfinished, folder), { recursive: true });
    }
    await holdFiles(unfinished);
    await writeObject(unfinished, "tree", Buffer.alloc(0));
    await writeObject(unfinished, "commit", writeCommit(root));
    await rename(unfinished, gitDir).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Makes a folder for one call of git, where the sweep of unfinished objects removes what a killed process left. */
export async function makeFolderIn({ gitDir }: Repository, what: string): Promise<string> {
  const folder = join(gitDir, "objects", `tmp_${what}_${randomUUID()}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Writes a loose object, and returns its id. */
export async function writeObject(gitDir: string, kind: "commit" | "tree" | "blob", content: Buffer): Promise<string> {
  const id = objectId(kind, content);
  const path = loosePath(gitDir, id);
  if (await exists(path)) return id;
  const unfinished = join(gitDir, "objects", `tmp_obj_${randomUUID()}`);
  try {
    await writeFile(unfinished, await promisify(deflate)(Buffer.concat([header(kind, content), content])));
    await chmod(unfinished, 0o444);
    await moveInto(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
  return id;
}

/** Retries, because git removes empty folders, also the one just created. */
async function moveInto(from: string, to: string): Promise<void> {
  for (let triesLeft = 10; ; triesLeft -= 1) {
    try {
      await mkdir(dirname(to), { recursive: true });
      return await rename(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || triesLeft === 0) throw error;
    }
  }
}

/** Reads a commit; throws if it is missing. */
export async function readCommit(repository: Repository, id: string, signal?: AbortSignal): Promise<Commit> {
  const loose = await readFile(loosePath(repository.gitDir, id)).catch(() => undefined);
  if (loose && loose.length > 0) {
    const object: Buffer = await promisify(inflate)(loose);
    if (object.subarray(0, 7).toString() === "commit ") return parseCommit(object.subarray(object.indexOf(0) + 1));
  }
  // Packed, or missing.
  const { code, stdout } = await runGit(repository, ["cat-file", "commit", id], { signal, answers: [0, 128] });
  if (code !== 0) throw new WorkspaceError("unknown_commit", `The commit ${id} is not in the repository.`);
  return parseCommit(stdout);
}

export async function hasCommit(repository: Repository, id: string, signal?: AbortSignal): Promise<boolean> {
  if (await exists(loosePath(repository.gitDir, id))) return true;
  const { code } = await runGit(repository, ["cat-file", "-e", `${id}^{commit}`], { signal, answers: [0, 1, 128] });
  return code === 0;
}

/** After a power cut or an upgrade, the files may differ from those above. */
async function holdFiles(gitDir: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(gitDir, name);
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) continue;
    const unfinished = `${path}.${randomUUID()}`;
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  }
}

function objectId(kind: string, content: Buffer): string {
  return createHash("sha1").update(header(kind, content)).update(content).digest("hex");
}

function header(kind: string, content: Buffer): Buffer {
  return Buffer.from(`${kind} ${content.length}\0`);
}

function loosePath(gitDir: string, id: string): string {
  return join(gitDir, "objects", id.slice(0, 2), id.slice(2));
}

/** Treats an empty file, which a power cut may leave, as missing. */
async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.size > 0;
}
