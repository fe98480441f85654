import { posix } from "node:path";
import { findHead, type Head } from "../../engine/lifecycle/index.ts";
import type { Workspaces } from "../../engine/workspaces/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { TreeFile } from "../../platform/git/index.ts";
import type { ZipEntry } from "../../platform/zip/index.ts";
import { findSourceTree, insertSourceTree, type SourceTreeRow } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly workspaces: Workspaces;
}

/** A project's source code, where it has any. */
export interface SourceCode {
  readonly head: Head;
  readonly tree: SourceTreeRow;
}

/** The source code as it is now, or as it was at a checkpoint; nothing where there is no file. */
export async function findSourceCode(
  { db, workspaces }: Deps,
  projectId: string,
  checkpoint: string | undefined,
): Promise<SourceCode | undefined> {
  const head = await findHead(db, projectId, checkpoint);
  if (head === undefined) return undefined;
  let tree = await findSourceTree(db, projectId, head.commit);
  if (tree === undefined) {
    await workspaces.open(projectId, head);
    const { tree: id, files, sizeBytes, modified } = await workspaces.summarize(projectId, head.commit);
    tree = { project_id: projectId, commit: head.commit, tree: id, files, size_bytes: sizeBytes, modified };
    await insertSourceTree(db, tree);
  }
  return tree.files === 0 ? undefined : { head, tree };
}

/** The files of the source code, as entries of a zip. */
export async function* sourceEntries(
  { workspaces }: Deps,
  projectId: string,
  { head, tree }: SourceCode,
): AsyncGenerator<ZipEntry> {
  for await (const file of workspaces.readTree(projectId, head.commit)) {
    const entry = await asEntry(file, tree.modified);
    if (entry !== undefined) yield entry;
  }
}

/** A link that leads out of the tree is left out: who unpacks it must not be led elsewhere. */
async function asEntry(file: TreeFile, modified: Date): Promise<ZipEntry | undefined> {
  const { path, kind, sizeBytes, content } = file;
  if (kind !== "link") return { path, kind, sizeBytes, content, modified };
  const target = Buffer.concat(await Array.fromAsync(copied(content)));
  return leadsOut(path, target.toString("utf8")) ? undefined : { path, kind, sizeBytes, content: [target], modified };
}

export function leadsOut(path: string, target: string): boolean {
  if (target.startsWith("/") || /[\\\0]/.test(target) || /^[a-z]:/i.test(target)) return true;
  const end = posix.normalize(posix.join(posix.dirname(path), target));
  return end === ".." || end.startsWith("../");
}

/** One file of the source code: its id in git, and its bytes when they are asked for. */
export async function findSourceFile(
  { workspaces }: Deps,
  projectId: string,
  { head }: SourceCode,
  path: string,
): Promise<{ id: string; sizeBytes: number; open: () => AsyncGenerator<Uint8Array> } | undefined> {
  const files = await workspaces.listFiles(projectId, head.commit);
  const file = files.find((one) => one.path === path);
  if (file === undefined || file.kind === "link") return undefined;
  return {
    id: file.id,
    sizeBytes: file.sizeBytes,
    open: async function* () {
      for await (const { content } of workspaces.readTree(projectId, head.commit, path)) yield* copied(content);
    },
  };
}

/** Pieces that stay as they are when the next is asked for. */
async function* copied(pieces: TreeFile["content"]): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Uint8Array.from(piece);
}
