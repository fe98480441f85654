import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isRunning, thisProcess } from "./process/index.ts";
import { removeFolder } from "./remove-folder.ts";
import { maxSocketAddressBytes } from "./socket-address.ts";

/** What ssh appends to the name of a socket while it makes it, and more. */
const maxSocketNameBytes = 24;
const shortPlace = "/tmp";
const placeInMemory = "/dev/shm";

interface Options {
  /** Names the installation. */
  readonly dataFolder: string;
  readonly where?: string;
}

/**
 * The door to temporary folders of the service. Whoever makes one removes it; each bears the names of its installation and
 * its process, so that a later start removes what a killed process left, and nothing that is in use.
 */
export class TemporaryFolders {
  readonly #dataFolder: string;
  readonly #where: string;
  readonly #installation: string;

  constructor({ dataFolder, where = tmpdir() }: Options) {
    this.#dataFolder = resolve(dataFolder);
    this.#where = where;
    this.#installation = createHash("sha256").update(this.#dataFolder).digest("hex").slice(0, 10);
  }

  /** Makes a folder that only this user can enter. */
  make(what: string): Promise<string> {
    return mkdtemp(join(this.#where, this.#prefix(what)));
  }

  /** Makes one in the data folder, for what may be too large for a temporary one. */
  makeInDataFolder(what: string): Promise<string> {
    return mkdtemp(join(this.#dataFolder, this.#prefix(what)));
  }

  /** Makes one whose path leaves room for the name of a socket. */
  makeForSockets(what: string): Promise<string> {
    const prefix = this.#prefix(what);
    const longest = join(this.#where, `${prefix}XXXXXX`, "s".repeat(maxSocketNameBytes));
    const isShort = Buffer.byteLength(longest) <= maxSocketAddressBytes;
    return mkdtemp(join(isShort ? this.#where : shortPlace, prefix));
  }

  /** Makes one in memory, where the system has such a place. */
  makeInMemory(what: string): Promise<string> {
    return mkdtemp(join(existsSync(placeInMemory) ? placeInMemory : this.#where, this.#prefix(what)));
  }

  /** The folders of this installation whose processes have ended. */
  async findLeft(): Promise<string[]> {
    const left: string[] = [];
    const name = new RegExp(`^slipway-[a-z]+-${this.#installation}-([0-9a-z]+)-([0-9a-z]+)-[^-]{6}$`);
    for (const place of new Set([this.#where, shortPlace, placeInMemory, this.#dataFolder])) {
      for (const found of await readdir(place).catch(() => [])) {
        const [, pid, startedAt] = name.exec(found) ?? [];
        if (pid === undefined || startedAt === undefined) continue;
        if (isRunning({ pid: parseInt(pid, 36), startedAt: parseInt(startedAt, 36) })) continue;
        left.push(join(place, found));
      }
    }
    return left;
  }

  /** Begins to remove them. A program may have left a million files, so nobody has to wait for that; it never fails. */
  async removeLeft(): Promise<{ readonly removal: Promise<void> }> {
    return { removal: removeAll(await this.findLeft()) };
  }

  #prefix(what: string): string {
    const { pid, startedAt } = thisProcess();
    return `slipway-${what}-${this.#installation}-${pid.toString(36)}-${startedAt.toString(36)}-`;
  }
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await removeFolder(folder).catch(() => undefined);
}
