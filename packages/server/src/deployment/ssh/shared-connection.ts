import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { spawnProgram } from "../../platform/process/index.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";

const idleMs = 30_000;
const maxOpenMs = 15_000;

interface Opened {
  readonly folder: string;
  readonly child: ChildProcess;
}

/** One connection for many calls: a login for each takes longer than what is done with it. */
export class SharedConnection {
  readonly #options: readonly string[];
  readonly #host: string;
  readonly #temporary: TemporaryFolders;
  #opened: Promise<Opened | undefined> | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(temporary: TemporaryFolders, options: readonly string[], host: string) {
    this.#temporary = temporary;
    this.#options = options;
    this.#host = host;
  }

  /** What lets a call of the client use the connection; nothing if there is none: then it makes its own, and says why not. */
  async open(): Promise<readonly string[]> {
    this.#opened ??= this.#start().catch(() => {
      // As without room for its folder, which there may be another time.
      this.#opened = undefined;
      return undefined;
    });
    const opened = await this.#opened;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    return opened === undefined ? [] : ["-S", socketIn(opened.folder)];
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const opened = await this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    opened.child.kill();
    await removeQuietly(opened.folder);
  }

  async #start(): Promise<Opened | undefined> {
    // Not in the data folder: the path of a socket may have a hundred characters only.
    const folder = await this.#temporary.makeForSockets("ssh");
    const way = ["-M", "-S", socketIn(folder)];
    // `cat` ends with our end of the pipe: a service that is killed leaves no connection behind.
    const child = spawnProgram("ssh", [...way, ...this.#options, "--", this.#host, "cat"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.unref();
    child.stdin.on("error", () => undefined);
    let isOver = false;
    const end = () => {
      isOver = true;
      this.#opened = undefined;
      void removeQuietly(folder);
    };
    child.once("error", end);
    child.once("close", end);
    const endsAt = performance.now() + maxOpenMs;
    while (!isOver && !existsSync(socketIn(folder)) && performance.now() < endsAt) await delay(5);
    return isOver ? undefined : { folder, child };
  }
}

/** Never rejects: the next start of the service removes what could not be removed now. */
async function removeQuietly(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}

function socketIn(folder: string): string {
  return join(folder, "s");
}
