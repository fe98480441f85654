import { createHash, randomUUID } from "node:crypto";
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { BlobError, type BlobStore, requireDigest, type StoredBlob } from "./blob-store.ts";

/** Longer than anything may still be written by a process whose life we cannot see. */
const abandonedAfterMs = 60 * 60 * 1000;

/** Blobs as files of a folder: `ab/cdef…` by their digest. A file is under its digest whole, or not at all. */
export class FolderBlobStore implements BlobStore {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder if it is missing, and removes what killed processes began to write. */
  static async open(folder: string): Promise<FolderBlobStore> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const unfinished = join(folder, "unfinished");
    await mkdir(unfinished, { mode: 0o700, recursive: true });
    for (const name of await readdir(unfinished)) {
      const path = join(unfinished, name);
      if (await isAbandoned(path, name)) await rm(path, { force: true });
    }
    return new FolderBlobStore(folder);
  }

  async put(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<StoredBlob> {
    if (source instanceof Uint8Array) {
      const digest = createHash("sha256").update(source).digest("hex");
      if (await this.has(digest)) return { digest, size: source.length };
    }
    const path = join(this.#folder, "unfinished", `${hostname()}.${process.pid}.${randomUUID()}`);
    try {
      const blob = await writeBlob(path, source instanceof Uint8Array ? [source] : source);
      if (!(await this.has(blob.digest))) await this.#keep(path, blob.digest);
      return blob;
    } catch (error) {
      throw explain(error);
    } finally {
      await rm(path, { force: true });
    }
  }

  async open(digest: string): Promise<Readable> {
    return (await this.#openFile(digest)).createReadStream();
  }

  async read(digest: string): Promise<Buffer> {
    const file = await this.#openFile(digest);
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  }

  async has(digest: string): Promise<boolean> {
    return stat(this.#path(digest)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return false;
        throw error;
      },
    );
  }

  async remove(digest: string): Promise<void> {
    await rm(this.#path(digest), { force: true });
  }

  async #keep(unfinished: string, digest: string): Promise<void> {
    const path = this.#path(digest);
    const isNewFolder = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    if (isNewFolder !== undefined) await syncFolder(this.#folder);
  }

  async #openFile(digest: string): Promise<FileHandle> {
    return open(this.#path(digest), "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new BlobError("blob_missing", `There is no blob ${digest}.`, { cause: error });
    });
  }

  #path(digest: string): string {
    requireDigest(digest);
    return join(this.#folder, digest.slice(0, 2), digest.slice(2));
  }
}

/** Writes a file to the disk, and says what is in it. */
async function writeBlob(path: string, source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<StoredBlob> {
  const hash = createHash("sha256");
  let size = 0;
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { digest: hash.digest("hex"), size };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Of a process of this machine that is no more; of another machine's only what nobody has touched for long. */
async function isAbandoned(path: string, name: string): Promise<boolean> {
  const [pid = ""] = name.startsWith(`${hostname()}.`) ? name.slice(hostname().length + 1).split(".") : [];
  if (pid !== "" && !processExists(Number(pid))) return true;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function explain(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new BlobError("no_space", "There is no space left on the disk for artifacts.", { cause: error });
}
