import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, rename, rm, rmdir, unlink } from "node:fs/promises";
import { FileRefusal } from "./file-refusal.ts";
import { placeOf } from "./inner-path.ts";
import { close, type FolderOptions, fileCall, lookAt, type OpenFolder, refusalOf, withFolder } from "./open-folder.ts";

export interface WriteOptions extends Pick<FolderOptions, "signal" | "hasDescriptors"> {
  /** Undefined: as the file was before, and not executable if it is new. */
  readonly isExecutable?: boolean;
}

type Where = Pick<FolderOptions, "signal" | "hasDescriptors">;

const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a file of a project as a whole; folders on the way are made. It replaces what is there, so that nothing is written
 * through a link or through a second name of a file elsewhere; it refuses to replace what is not a regular file.
 */
export async function writeProjectFile(
  root: string,
  path: string,
  content: string | Uint8Array,
  { isExecutable, ...where }: WriteOptions = {},
): Promise<void> {
  const { folders, name } = placeOf(path);
  const owner = await ownerOf(root, where);
  const whenMade = (handle: FileHandle) => handOver(handle, owner);
  await withFolder(root, folders, { ...where, whenMade }, async (folder) => {
    const before = await lookAt(folder, name, where.signal);
    const refusal = before && refusalOf(before, path);
    if (refusal !== undefined || before?.isDirectory())
      throw refusal ?? new FileRefusal("not_a_file", path, "is a folder, not a regular file.");
    const mode = isExecutable === undefined ? (before?.mode ?? 0o644) & 0o777 : isExecutable ? 0o755 : 0o644;
    await replace(folder, { name, path, mode, owner, signal: where.signal }, content);
  });
}

interface Replaced {
  readonly name: string;
  readonly path: string;
  readonly mode: number;
  readonly owner: Owner;
  readonly signal: AbortSignal | undefined;
}

async function replace(
  folder: OpenFolder,
  { name, path, mode, owner, signal }: Replaced,
  content: string | Uint8Array,
): Promise<void> {
  const temporary = `.slipway-${randomUUID()}`;
  const call = <T>(work: () => Promise<T>) => fileCall(work, { path, signal });
  try {
    const opening = () => open(folder.at(temporary), newFileFlags, 0o600);
    const file = await fileCall(opening, { path, signal, discard: (late) => late.close() });
    try {
      await call(() => file.writeFile(content));
      await call(() => file.chmod(mode));
      await handOver(file, owner);
    } finally {
      await close(file);
    }
    await folder.confirm();
    await call(() => rename(folder.at(temporary), folder.at(name)));
  } catch (error) {
    await fileCall(() => rm(folder.at(temporary), { force: true }), { path }).catch(() => undefined);
    throw error;
  }
}

/** Removes a file or a link of a project, never what it leads to; does nothing if it is missing. */
export async function removeProjectFile(root: string, path: string, where: Where = {}): Promise<void> {
  await removeEntry(root, path, where, unlink);
}

/** Removes a folder of a project if it is empty; refuses otherwise. */
export async function removeEmptyFolder(root: string, path: string, where: Where = {}): Promise<void> {
  await removeEntry(root, path, where, rmdir);
}

/**
 * Gives what is at a path of a project, whatever it is, a free name beside it, which is returned; undefined if nothing is
 * there. A link is renamed itself, never what it leads to.
 */
export async function moveAside(root: string, path: string, where: Where = {}): Promise<string | undefined> {
  const { folders, name } = placeOf(path);
  // Nobody can have put anything at a name that nobody knows.
  const aside = `${name}.${randomUUID().slice(0, 8)}`;
  try {
    await withFolder(root, folders, where, async (folder) => {
      await folder.confirm();
      await fileCall(() => rename(folder.at(name), folder.at(aside)), { path, signal: where.signal });
    });
  } catch (error) {
    if (error instanceof FileRefusal && error.code === "missing") return undefined;
    throw error;
  }
  return [...folders, aside].join("/");
}

async function removeEntry(root: string, path: string, where: Where, remove: (at: string) => Promise<void>) {
  const { folders, name } = placeOf(path);
  try {
    await withFolder(root, folders, where, async (folder) => {
      await folder.confirm();
      await fileCall(() => remove(folder.at(name)), { path, signal: where.signal });
    });
  } catch (error) {
    if (!(error instanceof FileRefusal && error.code === "missing")) throw error;
  }
}

type Owner = Pick<Stats, "uid" | "gid"> | undefined;

/** The user that a tree belongs to, where the service is root and the programs of the project are not. */
async function ownerOf(root: string, { signal }: Where): Promise<Owner> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await fileCall(() => lstat(root), { path: ".", signal });
  return uid === 0 && gid === 0 ? undefined : { uid, gid };
}

/** Gives what root makes to the tree's owner: the project's own programs must be able to change it. */
async function handOver(handle: FileHandle, owner: Owner): Promise<void> {
  if (owner !== undefined) await fileCall(() => handle.chown(owner.uid, owner.gid), { path: "." });
}
