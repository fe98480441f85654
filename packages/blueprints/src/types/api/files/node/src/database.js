import { chmod, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** How long a change waits for one of another process. Each holds the lock for a moment. */
const lockTimeoutMs = 10_000;

/**
 * A database file that several processes may have open, such as two versions of the service while one takes over. What is
 * committed survives the end of the process at any moment; what was also flushed survives the end of the machine.
 */
export class Database {
  #database;
  #log;
  #seenVersion;
  #version;
  #isChanging = false;
  #flushing = Promise.resolve();
  #nextFlush;

  constructor(database, log) {
    this.#database = database;
    this.#log = log;
    this.#version = database.prepare("PRAGMA data_version");
  }

  /** Opens a file with this schema; `upgrade` adds what the tables of an earlier program lack. */
  static async open(path, schema, upgrade) {
    await makePrivate(path);
    const database = new DatabaseSync(path);
    // Commits do not wait for the disk; flush does, for many of them together.
    database.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}; PRAGMA synchronous = NORMAL; PRAGMA journal_mode = WAL`);
    database.exec(`BEGIN IMMEDIATE; ${schema}`);
    upgrade(database);
    database.exec("COMMIT");
    return new Database(database, await open(`${path}-wal`, "r+"));
  }

  prepare(sql) {
    return this.#database.prepare(sql);
  }

  get isChanging() {
    return this.#isChanging;
  }

  /** Whether another process has changed something since this was last asked. */
  hasNews() {
    const { data_version: version } = this.#version.get();
    const isNew = version !== this.#seenVersion;
    this.#seenVersion = version;
    return isNew;
  }

  /** Runs work that no other process changes anything under; what it changed counts as a whole, or not at all. */
  transact(work) {
    this.#database.exec("BEGIN IMMEDIATE");
    this.#isChanging = true;
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#isChanging = false;
    }
  }

  #rollBack() {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite has done it already, as it does when the disk is full.
    }
  }

  /** Done when all that is committed now is on disk. Whoever calls while others wait for the disk goes with the next. */
  flush() {
    this.#nextFlush ??= this.#flushing
      .catch(() => {})
      .then(() => {
        this.#nextFlush = undefined;
        this.#flushing = this.#log.datasync();
        return this.#flushing;
      });
    return this.#nextFlush;
  }

  async close() {
    await this.flush();
    this.#database.close();
    await this.#log.close();
  }
}

/** Makes an empty file that only its owner can read, and those who may write into its folder. */
async function makePrivate(path) {
  const isShared = ((await stat(dirname(path))).mode & 0o020) !== 0;
  const mode = isShared ? 0o660 : 0o600;
  try {
    await (await open(path, "wx", mode)).close();
    await chmod(path, mode);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}
