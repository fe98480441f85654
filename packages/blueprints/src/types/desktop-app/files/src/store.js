import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { resolve } from "./records/dates.js";
import { blank } from "./records/fields.js";

/** How long a change waits for one of another process. Each takes a moment. */
const lockTimeoutMs = 10_000;

/**
 * The records of all entities, each in a file of plain JSON that can be copied, backed up and read without the app. The
 * app may run twice on one folder: each sees what the other has stored, and their changes wait for each other.
 */
export function openStore(folder, model, today) {
  const files = new Map(model.entities.map((entity) => [entity.name, keptFile(folder, entity, today)]));
  let lock;

  const change = (work) => {
    mkdirSync(folder, { recursive: true });
    lock ??= openLock(folder);
    lock.exec("BEGIN EXCLUSIVE");
    try {
      const draft = draftOf(files);
      const result = work(draft);
      for (const [name, { nextId, records }] of draft.changed) files.get(name).write(nextId, records);
      return result;
    } finally {
      lock.exec("ROLLBACK");
    }
  };
  const isNew = () => [...files.values()].every((file) => !file.exists());
  for (const file of files.values()) file.read();
  if (isNew() && model.entities.some(({ seed }) => seed.length > 0)) change((draft) => isNew() && sow(model, draft, today()));
  return {
    all: (name) => files.get(name).read().records,
    get: (name, id) => files.get(name).read().records.find((record) => record.id === id),
    /** Does several changes at once: if `work` throws, none of them happens. */
    change,
  };
}

/** The records as they will be. */
function draftOf(files) {
  const changed = new Map();
  const current = (name) => changed.get(name) ?? files.get(name).read();
  return {
    changed,
    all: (name) => current(name).records,
    get: (name, id) => current(name).records.find((record) => record.id === id),
    /** Adds the record, or replaces the one with its id. */
    put(name, record) {
      const { nextId, records } = current(name);
      const id = record.id ?? nextId;
      const kept = { ...record, id };
      const isKnown = records.some((one) => one.id === id);
      const next = isKnown ? records.map((one) => (one.id === id ? kept : one)) : [...records, kept];
      changed.set(name, { nextId: Math.max(nextId, id + 1), records: next });
      return kept;
    },
    remove(name, id) {
      const { nextId, records } = current(name);
      changed.set(name, { nextId, records: records.filter((one) => one.id !== id) });
    },
  };
}

/** What is there from the first start. */
function sow(model, draft, today) {
  for (const entity of model.entities) {
    for (const values of entity.seed) {
      const given = Object.entries(values).map(([name, value]) => [name, resolve(value, today)]);
      draft.put(entity.name, { ...blank(entity, today), ...Object.fromEntries(given) });
    }
  }
}

/** One entity's file, which is read again when it has changed. */
function keptFile(folder, entity, today) {
  const file = join(folder, `${entity.file}.json`);
  const before = entity.fileWas === undefined ? undefined : join(folder, `${entity.fileWas}.json`);
  const place = () => (before !== undefined && !existsSync(file) && existsSync(before) ? before : file);
  let stamp;
  let kept;
  let extras;
  return {
    exists: () => existsSync(place()),
    read() {
      const now = stampOf(place());
      if (now === stamp) return kept;
      const { nextId, records } = load(place());
      extras = new Map(records.map((record) => [record.id, record]));
      kept = { nextId, records: records.map((record) => asOfNow(entity, record, today())) };
      stamp = now;
      return kept;
    },
    write(nextId, records) {
      // What other versions of the app know of a record stays with it.
      const whole = records.map((record) => ({ ...extras.get(record.id), ...record, ...underOldNames(entity, record) }));
      // Renamed into place: a crash while writing leaves the old file whole.
      writeFileSync(`${file}.new`, `${JSON.stringify({ nextId, records: whole }, undefined, 2)}\n`);
      renameSync(`${file}.new`, file);
      stamp = undefined;
    },
  };
}

/** A stored record with the fields of this version: renamed ones keep their values, new ones have their defaults. */
function asOfNow(entity, stored, today) {
  const defaults = blank(entity, today);
  const value = ({ name, was }) => [name, stored[name] ?? (was === undefined ? undefined : stored[was]) ?? (Object.hasOwn(stored, name) ? null : defaults[name])];
  return { id: stored.id, ...Object.fromEntries(entity.fields.map(value)) };
}

/** An older version of the app finds renamed fields where it left them. */
function underOldNames(entity, record) {
  const renamed = entity.fields.filter(({ was }) => was !== undefined && !entity.fields.some(({ name }) => name === was));
  return Object.fromEntries(renamed.map(({ name, was }) => [was, record[name]]));
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
  return found === undefined ? "none" : [file, found.ino, found.mtimeNs, found.size].join(":");
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
