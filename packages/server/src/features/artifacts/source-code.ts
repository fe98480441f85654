import { posix } from "node:path";
import type { SourceFile } from "@slipway/contract";
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

/** The source code of a project at a commit. */
export interface SourceCode {
  readonly head: Head;
  readonly tree: SourceTreeRow;
}

/** What somebody asks for, who may leave before it is found and read. */
interface Wanted {
  readonly projectId: string;
  readonly checkpoint: string | undefined;
  readonly gone: AbortSignal;
}

/** The current source code, or that of a checkpoint; undefined where it has no files. */
export async function findSourceCode(
  { db, workspaces }: Deps,
  { projectId, checkpoint, gone: signal }: Wanted,
): Promise<SourceCode | undefined> {
  const head = await findHead(db, projectId, checkpoint);
  if (head === undefined) return undefined;
  let tree = await findSourceTree(db, projectId, head.commit);
  if (tree === undefined) {
    await workspaces.open(projectId, head, { signal });
    const { tree: id, files, sizeBytes, modified } = await workspaces.summarize(projectId, head.commit, { signal });
    tree = { project_id: projectId, commit: head.commit, tree: id, files, size_bytes: sizeBytes, modified };
    await insertSourceTree(db, tree);
  }
  return tree.files === 0 ? undefined : { head, tree };
}

/** The same, once it is found. */
export interface WantedSource extends Omit<Wanted, "checkpoint"> {
  readonly source: SourceCode;
}

/** The files of the source code as zip entries. */
export async function* sourceEntries(
  { workspaces }: Deps,
  { projectId, source: { head, tree }, gone }: WantedSource,
): AsyncGenerator<ZipEntry> {
  for await (const file of workspaces.readTree(projectId, head.commit, { signal: gone })) {
    const entry = await asEntry(file, tree.modified);
    if (entry !== undefined) yield entry;
  }
}

/** Leaves out links that lead out of the tree, which would be unsafe to unpack. */
async function asEntry(file: TreeFile, modified: Date): Promise<ZipEntry | undefined> {
  const { path, kind, sizeBytes, content } = file;
  if (kind !== "link") return { path, kind, sizeBytes, content, modified };
  const target = Buffer.concat(await Array.fromAsync(copied(content)));
  return leadsOut(path, target.toString("utf8")) ? undefined : { path, kind, sizeBytes, content: [target], modified };
}

/** Only steps up from the link's own folder can be counted: a name that one steps up from may be a link elsewhere. */
export function leadsOut(path: string, target: string): boolean {
  if (target.startsWith("/") || /[\\\0]/.test(target) || /^[a-z]:/i.test(target)) return true;
  const steps = target.split("/").filter((step) => step !== "" && step !== ".");
  const names = steps.slice(steps.findIndex((step) => step !== ".."));
  if (steps.some((step) => step !== "..") && names.includes("..")) return true;
  const end = posix.normalize(posix.join(posix.dirname(path), target));
  return end === ".." || end.startsWith("../");
}

const maxListed = 10_000;

/** The files of the source code by path, without their bytes; none where there is no source code. */
export async function listSourceFiles(
  deps: Deps,
  wanted: Wanted,
): Promise<{ files: SourceFile[]; files_total: number; commit: string | undefined }> {
  const { projectId, gone: signal } = wanted;
  const source = await findSourceCode(deps, wanted);
  if (source === undefined) return { files: [], files_total: 0, commit: undefined };
  const { commit } = source.head;
  await deps.workspaces.open(projectId, source.head, { signal });
  const files: SourceFile[] = [];
  let total = 0;
  for await (const { path, sizeBytes, kind, id } of deps.workspaces.streamFiles(projectId, commit, { signal })) {
    total += 1;
    if (total <= maxListed) files.push({ path, size_bytes: sizeBytes, is_link: kind === "link", content_id: id });
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), files_total: total, commit };
}

/** One file of the source code: its git id, and its bytes on demand. */
export async function findSourceFile(
  { workspaces }: Deps,
  { projectId, source: { head }, gone }: WantedSource,
  path: string,
): Promise<{ id: string; sizeBytes: number; open: () => AsyncGenerator<Uint8Array> } | undefined> {
  const file = await findFile(workspaces.streamFiles(projectId, head.commit, { signal: gone }), path);
  if (file === undefined || file.kind === "link") return undefined;
  return {
    id: file.id,
    sizeBytes: file.sizeBytes,
    open: async function* () {
      const files = workspaces.readTree(projectId, head.commit, { path, signal: gone });
      for await (const { content } of files) yield* copied(content);
    },
  };
}

async function findFile<File extends { readonly path: string }>(files: AsyncIterable<File>, path: string) {
  for await (const file of files) if (file.path === path) return file;
  return undefined;
}

/** Copies chunks, which the reader of the tree overwrites with the next one. */
async function* copied(pieces: TreeFile["content"]): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Uint8Array.from(piece);
}
