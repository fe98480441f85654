import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import {
  type BlobBackend,
  BlobError,
  type ByteRange,
  type PutOptions,
  requireDigest,
  type StoredBlob,
} from "./blob-store.ts";
import { Spool } from "./spool.ts";

/** Blobs as files in a folder, at `ab/cdef…` by their digest. Each file appears atomically. */
export class FolderBlobStore implements BlobBackend {
  readonly #folder: string;
  readonly #spool: Spool;

  private constructor(folder: string, spool: Spool) {
    this.#folder = folder;
    this.#spool = spool;
  }

  /** Creates the folder if it is missing, and removes unfinished files of dead processes. */
  static async open(folder: string): Promise<FolderBlobStore> {
    return new FolderBlobStore(folder, await Spool.open(folder));
  }

  async put(
    source: Uint8Array | AsyncIterable<Uint8Array>,
    { beforeStored = async () => undefined, overwrites = () => false, leavesReserve }: PutOptions = {},
  ): Promise<StoredBlob> {
    const isStored = async (blob: StoredBlob) => {
      await beforeStored(blob);
      return !overwrites() && (await this.has(blob.digest));
    };
    if (source instanceof Uint8Array) {
      const blob = { digest: createHash("sha256").update(source).digest("hex"), size: source.length };
      if (await isStored(blob)) return blob;
      return this.#spool.with([source], (path) => this.#store(path, blob));
    }
    return this.#spool.with(
      source,
      async (path, blob) => ((await isStored(blob)) ? blob : this.#store(path, blob)),
      leavesReserve,
    );
  }

  async open(digest: string, range?: ByteRange): Promise<Readable> {
    // Large reads, because each one is a system call.
    return (await this.#openFile(digest)).createReadStream({ highWaterMark: 1024 * 1024, ...range });
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
    return (await this.#stat(digest)) !== undefined;
  }

  async *digests(): AsyncGenerator<StoredBlob> {
    for (const start of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(start)) continue;
      for (const rest of await readdir(join(this.#folder, start))) {
        const digest = start + rest;
        const found = /^[0-9a-f]{64}$/.test(digest) ? await this.#stat(digest) : undefined;
        if (found !== undefined) yield { digest, size: found.size };
      }
    }
  }

  async remove(digest: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await rm(this.#path(digest), { force: true });
  }

  async #store(unfinished: string, blob: StoredBlob): Promise<StoredBlob> {
    const path = this.#path(blob.digest);
    const isNewFolder = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    if (isNewFolder !== undefined) await syncFolder(this.#folder);
    return blob;
  }

  async #stat(digest: string) {
    return stat(this.#path(digest)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
  }

  async #openFile(digest: string): Promise<FileHandle> {
    return open(this.#path(digest), "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw new BlobError("blob_missing", `The blob ${digest} is missing.`, { cause: error });
    });
  }

  #path(digest: string): string {
    requireDigest(digest);
    return join(this.#folder, digest.slice(0, 2), digest.slice(2));
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
