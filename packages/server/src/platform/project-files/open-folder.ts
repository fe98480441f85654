import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { BoundedCalls, type CallOptions } from "./bounded-calls.ts";
import { explainFileProblem, FileRefusal } from "./file-refusal.ts";

/** Half of the threads that Node has for files, names and compression; for the process, because those threads are. */
const fileCalls = new BoundedCalls(Math.max(1, Math.floor(threadsOfPool() / 2)));

/** Makes one call about a file of a project, within the bounds for all of them; explains the system's errors. */
export async function fileCall<T>(call: () => Promise<T>, options: CallOptions<T>): Promise<T> {
  try {
    return await fileCalls.run(call, options);
  } catch (error) {
    throw explainFileProblem(error, options.path);
  }
}

/** A folder of a project's tree, held open: what is done below it is done in this very folder, wherever its path leads. */
export interface OpenFolder {
  /** From the root of the tree; `.` for the root. */
  readonly path: string;
  readonly handle: FileHandle;
  /** The path of an entry, for one system call at once; the entry itself may still be a link. */
  at(name: string): string;
  /** Without descriptors: refuses when the folder was moved or replaced meanwhile. */
  confirm(): Promise<void>;
}

export interface FolderOptions {
  readonly signal?: AbortSignal | undefined;
  /** Makes folders that are missing; undefined: refuses. */
  readonly whenMade?: (handle: FileHandle) => Promise<unknown>;
  /** Whether the system can open an entry of an open folder; tests turn it off. */
  readonly hasDescriptors?: boolean;
}

/** Nothing else than a folder is opened, so nothing blocks, and no device notices. */
const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_DIRECTORY;

/** Opens a folder of a tree component by component, following no link; calls `use` with it and closes it. */
export async function withFolder<T>(
  root: string,
  parts: readonly string[],
  options: FolderOptions,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const { signal, hasDescriptors = process.platform === "linux" } = options;
  let folder = await openRoot(root, signal, hasDescriptors);
  const closing: Promise<void>[] = [];
  try {
    for (const name of parts) {
      const inner = await openInner(folder, name, options);
      // While the next one is opened.
      closing.push(close(folder.handle));
      folder = inner;
    }
    return await use(folder);
  } finally {
    await Promise.all([...closing, close(folder.handle)]);
  }
}

/** Closing a file of a disk that is away may take as long as reading it: nobody waits longer than for other calls. */
export async function close(handle: FileHandle): Promise<void> {
  let isCalled = false;
  const call = () => {
    isCalled = true;
    return handle.close();
  };
  await fileCalls.run(call, { path: "" }).catch(() => undefined);
  if (!isCalled) void handle.close().catch(() => undefined);
}

/** What is at a name of an open folder; undefined if nothing is. */
export async function lookAt(folder: OpenFolder, name: string, signal?: AbortSignal): Promise<Stats | undefined> {
  const path = below(folder.path, name);
  return fileCall(() => lstat(folder.at(name)), { path, signal }).catch((error: unknown) => {
    if (error instanceof FileRefusal && error.code === "missing") return undefined;
    throw error;
  });
}

/** What an entry is, in a sentence; undefined for a file or a folder. */
export function refusalOf(found: Stats, path: string): FileRefusal | undefined {
  if (found.isFile() || found.isDirectory()) return undefined;
  if (found.isSymbolicLink()) return new FileRefusal("link", path, "is a link, which the service does not follow.");
  const what = found.isFIFO() ? "pipe" : found.isSocket() ? "socket" : "device";
  return new FileRefusal("not_a_file", path, `is a ${what}, not a regular file.`);
}

export function below(path: string, name: string): string {
  return path === "." ? name : `${path}/${name}`;
}

async function openRoot(root: string, signal: AbortSignal | undefined, hasDescriptors: boolean): Promise<OpenFolder> {
  const handle = await openFolderAt(root, ".", signal);
  const real = hasDescriptors ? root : await realpath(root);
  return folderOf(handle, ".", real, hasDescriptors);
}

async function openInner(folder: OpenFolder, name: string, options: FolderOptions): Promise<OpenFolder> {
  const { signal, whenMade, hasDescriptors = process.platform === "linux" } = options;
  const path = below(folder.path, name);
  let isNew = false;
  const opening = () => openFolderAt(folder.at(name), path, signal);
  const handle = await opening().catch(async (error: unknown) => {
    if (!(error instanceof FileRefusal)) throw error;
    if (error.code === "missing" && whenMade !== undefined) {
      isNew = await makeFolder(folder, name, signal);
      return opening();
    }
    // The system calls a link and a pipe alike no folder.
    const found = error.code === "not_a_folder" ? await lookAt(folder, name, signal) : undefined;
    throw (found && refusalOf(found, path)) ?? error;
  });
  const inner = folderOf(handle, path, hasDescriptors ? "" : folder.at(name), hasDescriptors);
  try {
    await inner.confirm();
    if (isNew) await whenMade?.(handle);
    return inner;
  } catch (error) {
    await close(handle);
    throw error;
  }
}

/** Makes a folder; returns false if another call made it meanwhile. */
async function makeFolder(folder: OpenFolder, name: string, signal: AbortSignal | undefined): Promise<boolean> {
  const make = async () => {
    try {
      await mkdir(folder.at(name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  };
  return fileCall(make, { path: below(folder.path, name), signal });
}

function openFolderAt(place: string, path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
  return fileCall(() => open(place, folderFlags), { path, signal, discard: (late) => late.close() });
}

/**
 * On Linux `/proc/self/fd/<number>/<name>` is an entry of the folder that is open, as `openat` would find it. Elsewhere we
 * use the real path, and check before and after that it still leads to the same folder.
 */
function folderOf(handle: FileHandle, path: string, real: string, hasDescriptors: boolean): OpenFolder {
  if (hasDescriptors) {
    const here = `/proc/self/fd/${handle.fd}`;
    return { path, handle, at: (name) => (name === "" ? here : `${here}/${name}`), confirm: async () => undefined };
  }
  const confirm = async () => {
    const [now, opened] = await Promise.all([
      fileCall(async () => ((await realpath(real)) === real ? lstat(real) : undefined), { path }),
      fileCall(() => handle.stat(), { path }),
    ]);
    if (now === undefined || now.ino !== opened.ino || now.dev !== opened.dev)
      throw new FileRefusal("link", path, "was replaced while the service used it.");
  };
  return { path, handle, at: (name) => (name === "" ? real : join(real, name)), confirm };
}

function threadsOfPool(): number {
  return Number(process.env["UV_THREADPOOL_SIZE"]) || 4;
}
