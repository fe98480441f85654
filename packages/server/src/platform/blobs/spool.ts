import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { leavingReserve } from "../leaving-reserve.ts";
import { isRunning, thisProcess } from "../process/index.ts";
import { BlobError, type StoredBlob } from "./blob-store.ts";

/** Longer than any upload of a process on another machine takes. */
const abandonedAfterMs = 60 * 60 * 1000;

/** A folder for unfinished blobs, whose digest is not known yet. */
export class Spool {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder inside another one, and removes unfinished files of dead processes. */
  static async open(within: string): Promise<Spool> {
    await mkdir(within, { recursive: true, mode: 0o700 });
    await chmod(within, 0o700);
    const folder = join(within, "unfinished");
    await mkdir(folder, { mode: 0o700, recursive: true });
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (await isAbandoned(path, name)) await rm(path, { force: true });
    }
    return new Spool(folder);
  }

  /** Writes the bytes to a temporary file, calls `use`, and removes the file. */
  async with<T>(
    source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    use: (path: string, blob: StoredBlob) => Promise<T>,
    leavesReserve = false,
  ): Promise<T> {
    const { pid, startedAt } = thisProcess();
    const path = join(this.#folder, `${hostname()}.${pid}-${startedAt}.${randomUUID()}`);
    try {
      const kept = { folder: this.#folder, refuse: noSpace };
      return await use(path, await writeBlob(path, leavesReserve ? leavingReserve(source, kept) : source));
    } catch (error) {
      throw explainFullDisk(error);
    } finally {
      await rm(path, { force: true });
    }
  }
}

/** Writes a file durably; returns digest and size. */
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

/** Whether its process on this machine is dead, or nobody on another machine has written to it for long. */
async function isAbandoned(path: string, name: string): Promise<boolean> {
  const [, pid, startedAt] =
    /^\.(\d+)-(\d+)\./.exec(name.startsWith(hostname()) ? name.slice(hostname().length) : "") ?? [];
  // In a container, the process after it mostly has the same id.
  if (pid !== undefined && !isRunning({ pid: Number(pid), startedAt: Number(startedAt) })) return true;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs;
}

function explainFullDisk(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return noSpace(error);
}

function noSpace(cause?: unknown): BlobError {
  return new BlobError("no_space", "There is no space left on the disk for artifacts.", { cause });
}
