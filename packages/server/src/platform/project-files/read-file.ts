import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { FileRefusal } from "./file-refusal.ts";
import { type PathOptions, placeOf } from "./inner-path.ts";
import {
  below,
  close,
  type FolderOptions,
  fileCall,
  lookAt,
  type OpenFolder,
  refusalOf,
  withFolder,
} from "./open-folder.ts";

export interface ReadOptions extends Pick<FolderOptions, "signal" | "hasDescriptors">, PathOptions {
  /** A larger file is refused, never read in part. */
  readonly maxBytes: number;
}

/** A regular file of a project, held open. Whoever opens it must close it. */
export interface OpenFile {
  readonly sizeBytes: number;
  /** What it takes up on the disk: less than its size, if it has holes. */
  readonly allocatedBytes: number;
  readonly isExecutable: boolean;
  readonly modifiedMs: number;
  /** The same for every name of the file, and for no other file. */
  readonly identity: string;
  /** How many names it has, in this tree or elsewhere. */
  readonly nameCount: number;
  /** The content, once; refuses when the file is, or meanwhile grows, larger than asked for. */
  chunks(maxBytes?: number): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const maxChunkBytes = 256 * 1024;
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The whole content of a regular file of a project. */
export async function readProjectFile(root: string, path: string, options: ReadOptions): Promise<Buffer> {
  const file = await openProjectFile(root, path, options);
  try {
    return Buffer.concat(await Array.fromAsync(file.chunks()));
  } finally {
    await file.close();
  }
}

/** Opens a regular file of a project: inside its tree, behind no link, and not larger than asked for. */
export async function openProjectFile(root: string, path: string, options: ReadOptions): Promise<OpenFile> {
  const { folders, name } = placeOf(path, options);
  return withFolder(root, folders, options, async (folder) => {
    const handle = await openRegular(folder, name, options);
    try {
      await folder.confirm();
      const found = await fileCall(() => handle.stat(), { path, signal: options.signal });
      // It may have been replaced since we looked at it.
      const refusal = refusalOf(found, path);
      if (refusal !== undefined || found.isDirectory()) throw refusal ?? isFolder(path);
      if (found.size > options.maxBytes) throw tooLarge(path, options.maxBytes);
      return {
        sizeBytes: found.size,
        allocatedBytes: found.blocks * 512,
        isExecutable: (found.mode & 0o100) !== 0,
        modifiedMs: found.mtimeMs,
        // Its birth too: the number of a file that is gone goes to the next one.
        identity: `${found.dev}:${found.ino}:${found.birthtimeMs}`,
        nameCount: found.nlink,
        chunks: (maxBytes = options.maxBytes) => chunksOf(handle, path, found.size, { ...options, maxBytes }),
        close: () => close(handle),
      };
    } catch (error) {
      await close(handle);
      throw error;
    }
  });
}

async function openRegular(folder: OpenFolder, name: string, { signal }: ReadOptions): Promise<FileHandle> {
  const path = below(folder.path, name);
  // Before the open: that alone has effects on some devices.
  const found = await lookAt(folder, name, signal);
  if (found === undefined) throw new FileRefusal("missing", path, "does not exist.");
  const refusal = refusalOf(found, path);
  if (refusal !== undefined || found.isDirectory()) throw refusal ?? isFolder(path);
  return fileCall(() => open(folder.at(name), fileFlags), { path, signal, discard: (late) => late.close() });
}

async function* chunksOf(
  handle: FileHandle,
  path: string,
  sizeBytes: number,
  { maxBytes, signal }: ReadOptions,
): AsyncGenerator<Buffer> {
  for (let length = 0; ; ) {
    // One byte more than expected, to see whether the file has grown.
    const room = Math.min(maxChunkBytes, Math.max(0, sizeBytes - length) + 1);
    // New for each chunk: a call that comes late writes into it.
    const chunk = Buffer.allocUnsafe(room);
    const { bytesRead } = await fileCall(() => handle.read(chunk, 0, room, length), { path, signal });
    if (bytesRead === 0) return;
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(path, maxBytes);
    yield chunk.subarray(0, bytesRead);
  }
}

function isFolder(path: string): FileRefusal {
  return new FileRefusal("not_a_file", path, "is a folder, not a regular file.");
}

function tooLarge(path: string, maxBytes: number): FileRefusal {
  return new FileRefusal("too_large", path, `is larger than ${maxBytes} bytes.`);
}
