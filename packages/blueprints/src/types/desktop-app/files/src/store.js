import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** How long a change waits for one of another process. Each takes a moment. */
const lockTimeoutMs = 10_000;

/**
 * The records of one entity, in a file of plain JSON that can be copied, backed up and read without the app. The app may
 * run twice on one folder: each sees what the other has stored, and their changes wait for each other.
 */
export function openStore(folder, entity) {
  const file = join(folder, `${entity.file}.json`);
  let stamp;
  let nextId;
  let records;
  let lock;

  const refresh = () => {
    const now = stampOf(file);
    if (now === stamp) return;
    ({ nextId, records } = load(file));
    stamp = now;
  };
  const change = (work) => {
    mkdirSync(folder, { recursive: true });
    lock ??= openLock(folder);
    lock.exec("BEGIN EXCLUSIVE");
    try {
      refresh();
      work();
      // Renamed into place: a crash while writing leaves the old file whole.
      writeFileSync(`${file}.new`, `${JSON.stringify({ nextId, records }, undefined, 2)}\n`);
      renameSync(`${file}.new`, file);
      stamp = stampOf(file);
    } catch (error) {
      // What is on disk counts.
      stamp = undefined;
      throw error;
    } finally {
      lock.exec("ROLLBACK");
    }
  };
  refresh();
  return {
    all() {
      refresh();
      return [...records];
    },
    get(id) {
      refresh();
      return records.find((record) => record.id === id);
    },
    add(values) {
      let record;
      change(() => {
        record = { id: nextId, ...values };
        nextId += 1;
        records = [...records, record];
      });
      return record;
    },
    change(id, values) {
      change(() => {
        records = records.map((record) => (record.id === id ? { ...record, ...values, id } : record));
      });
      return this.get(id);
    },
    remove(id) {
      change(() => {
        records = records.filter((record) => record.id !== id);
      });
    },
  };
}

/** An empty database, for its lock alone: the system releases it when the process ends, however that happens. */
function openLock(folder) {
  const path = join(folder, ".lock");
  try {
    closeSync(openSync(path, "wx", 0o666));
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const lock = new DatabaseSync(path);
  lock.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}`);
  return lock;
}

/** Another one after every change: a file that is renamed into place is a new one. */
function stampOf(file) {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "none" : [found.ino, found.mtimeNs, found.size].join(":");
}

function load(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return { nextId: 1, records: [] };
    throw error;
  }
  try {
    const { nextId, records } = JSON.parse(text);
    if (Number.isInteger(nextId) && Array.isArray(records)) return { nextId, records };
  } catch {
    // Falls through to the same words.
  }
  throw new Error(`${file} does not hold records; move it away to start with none.`);
}
