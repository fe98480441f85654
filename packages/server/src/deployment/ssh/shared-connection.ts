import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { spawnProgram } from "../../platform/process/index.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";

const usualIdleMs = 30_000;
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
  readonly #idleMs: number;
  #opened: Promise<Opened | undefined> | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(temporary: TemporaryFolders, options: readonly string[], host: string, idleMs = usualIdleMs) {
    this.#temporary = temporary;
    this.#options = options;
    this.#host = host;
    this.#idleMs = idleMs;
  }

  /**
   * Makes a call of the client. It is given what lets it use the connection, which stays open until the call has ended; nothing
   * if there is none: then the client makes its own, and says why not.
   */
  async use<T>(call: (options: readonly string[]) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    this.#users += 1;
    try {
      return await call(await this.#open());
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const opening = this.#opened;
    // Who comes now does not get a connection that ends.
    this.#opened = undefined;
    const opened = await opening;
    if (opened === undefined) return;
    opened.child.kill();
    await removeQuietly(opened.folder);
  }

  async #open(): Promise<readonly string[]> {
    this.#opened ??= this.#start();
    const opened = await this.#opened;
    return opened === undefined ? [] : ["-S", socketIn(opened.folder)];
  }

  #start(): Promise<Opened | undefined> {
    const forget = () => {
      if (this.#opened === opening) this.#opened = undefined;
    };
    const opening = this.#logIn(forget).catch(() => {
      // As without room for its folder, which there may be another time.
      forget();
      return undefined;
    });
    return opening;
  }

  async #logIn(onEnd: () => void): Promise<Opened | undefined> {
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
      onEnd();
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
