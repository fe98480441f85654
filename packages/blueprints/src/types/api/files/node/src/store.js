import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "./database.js";
import { readJournal } from "./old-journal.js";
import { Version } from "./versions.js";

// A deleted record leaves its id behind: ids are never given twice, and other processes learn that it is gone.
const schema = `
  CREATE TABLE IF NOT EXISTS records (
    resource TEXT NOT NULL, id TEXT NOT NULL, record TEXT, revision INTEGER NOT NULL, UNIQUE (resource, id));
  CREATE INDEX IF NOT EXISTS records_by_revision ON records (revision);
  CREATE TABLE IF NOT EXISTS started (resource TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS stored_as (name TEXT PRIMARY KEY, resource TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE)`;

function upgrade(database) {
  const columns = database.prepare("SELECT name FROM pragma_table_info('records')").all();
  if (!columns.some(({ name }) => name === "version")) database.exec("ALTER TABLE records ADD COLUMN version INTEGER");
}

/**
 * Everything that is kept: on disk in a database, and in memory to read. Several processes may share a folder: each sees
 * what the others have stored, and their changes wait for each other.
 */
export class Store {
  #database;
  #byName = new Map();
  #byPlace = new Map();
  #undo = [];
  /** The last change that is in memory. */
  #revision = 0;
  #changesAfter;
  #write;
  /** The names that the writers of records knew, by the number of their version. */
  #names = new Map();
  #readNames;

  constructor(database, resources) {
    this.#database = database;
    this.#readNames = database.prepare("SELECT names FROM versions WHERE version = ?");
    this.#changesAfter = database.prepare(
      "SELECT resource, id, record, revision, version FROM records WHERE revision > ? ORDER BY rowid",
    );
    this.#write = database.prepare(
      `INSERT INTO records (resource, id, record, revision, version) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (resource, id) DO UPDATE SET
         record = excluded.record, revision = excluded.revision, version = excluded.version`,
    );
    for (const resource of resources) {
      const version = new Version(resource);
      const place = placeOf(database, resource);
      const collection = new Collection(this, { place, version, number: numberOf(database, version.names) });
      this.#byName.set(resource.name, collection);
      this.#byPlace.set(place, collection);
    }
  }

  static async open(folder, resources) {
    await mkdir(folder, { recursive: true });
    const database = await Database.open(join(folder, "records.db"), schema, upgrade);
    const isStarted = database.prepare("SELECT 1 FROM started WHERE resource = ?");
    const journals = new Map();
    for (const { name } of resources)
      if (isStarted.get(name) === undefined) journals.set(name, await readJournal(join(folder, `${name}.jsonl`)));
    const store = database.transact(() => new Store(database, resources));
    await store.change(() => {
      for (const { name, seed = [] } of resources) store.#begin(name, journals.get(name), seed);
    });
    return store;
  }

  /** The records of a resource. */
  collection(name) {
    return this.#byName.get(name);
  }

  /** Runs work that checks and then changes records, alone; done when what it changed is on disk. */
  async change(work) {
    this.#undo = [];
    try {
      const result = this.#database.transact(() => {
        this.#catchUp();
        return work();
      });
      return this.#undo.length === 0 ? result : this.#database.flush().then(() => result);
    } catch (error) {
      // Whatever was not committed is not in memory either.
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    }
  }

  /** Before records are read: what other processes have changed is read from the disk. */
  refresh() {
    if (!this.#database.isChanging && this.#database.hasNews()) this.#catchUp();
  }

  /** Stores a record, or with none removes it; for collections. */
  write(collection, id, stored) {
    if (!this.#database.isChanging) throw new Error("Records are changed inside of change().");
    const { place, number } = collection.setting;
    const before = this.#revision;
    const known = collection.stored(id);
    this.#write.run(place, id, stored === undefined ? null : JSON.stringify(stored), before + 1, number);
    this.#revision = before + 1;
    collection.apply(id, stored, collection.setting.version.names);
    this.#undo.push(() => {
      this.#revision = before;
      collection.apply(id, known?.stored, known?.names);
    });
  }

  close() {
    return this.#database.close();
  }

  #catchUp() {
    for (const { resource, id, record, revision, version } of this.#changesAfter.all(this.#revision)) {
      const stored = record === null ? undefined : JSON.parse(record);
      this.#byPlace.get(resource)?.apply(id, stored, this.#namesOf(version));
      this.#revision = Math.max(this.#revision, revision);
    }
  }

  #namesOf(version) {
    if (version === null) return undefined;
    if (!this.#names.has(version)) this.#names.set(version, JSON.parse(this.#readNames.get(version)?.names ?? "null"));
    return this.#names.get(version) ?? undefined;
  }

  /** Examples are for the first start only: once deleted, they stay deleted. */
  #begin(name, journal, seed) {
    const collection = this.collection(name);
    const { place } = collection.setting;
    const { changes } = this.#database.prepare("INSERT OR IGNORE INTO started VALUES (?)").run(place);
    if (Number(changes) === 0) return;
    const at = new Date().toISOString();
    const first = seed.map((record, index) => ({ id: index + 1, created_at: at, updated_at: at, ...opened(record) }));
    for (const record of journal?.records ?? first) collection.replace(record);
    const last = String(journal?.lastId ?? 0);
    if (last !== "0" && collection.get(last) === undefined) this.write(collection, last, undefined);
  }
}

/** A record of the model with the hashes of its passwords, which stand beside its values there. */
export function opened({ sealed = [], ...record }) {
  return { ...record, ...Object.fromEntries(sealed) };
}

/** Where the records of a resource are: under its first name, which every version of the service finds. */
function placeOf(database, { name, was }) {
  const find = database.prepare("SELECT resource FROM stored_as WHERE name = ?");
  const known = find.get(name)?.resource;
  if (known !== undefined) return known;
  const place = was === undefined ? name : (find.get(was)?.resource ?? was);
  database.prepare("INSERT INTO stored_as VALUES (?, ?)").run(name, place);
  return place;
}

function numberOf(database, names) {
  const text = JSON.stringify(names);
  database.prepare("INSERT OR IGNORE INTO versions (names) VALUES (?)").run(text);
  return database.prepare("SELECT version FROM versions WHERE names = ?").get(text).version;
}

/** The records of one resource, in the order in which they were made. Ids are never given twice. */
class Collection {
  #store;
  #records = new Map();
  #stored = new Map();
  #lastId = 0;

  constructor(store, setting) {
    this.#store = store;
    this.setting = setting;
  }

  all() {
    this.#store.refresh();
    return [...this.#records.values()];
  }

  get(id) {
    this.#store.refresh();
    return this.#records.get(String(id));
  }

  insert(fields) {
    return this.replace({ id: this.#lastId + 1, ...fields });
  }

  replace(record) {
    const id = String(record.id);
    const stored = this.setting.version.write(record, this.#stored.get(id)?.stored);
    this.#store.write(this, id, stored);
    return this.#records.get(id);
  }

  remove(id) {
    this.#store.write(this, String(id), undefined);
  }

  /** As it is on disk, with the names that its writer knew. */
  stored(id) {
    return this.#stored.get(id);
  }

  apply(id, stored, names) {
    if (stored === undefined) {
      this.#records.delete(id);
      this.#stored.delete(id);
    } else {
      this.#records.set(id, this.setting.version.read(stored, names));
      this.#stored.set(id, { stored, names });
    }
    const number = Number(id);
    if (Number.isSafeInteger(number)) this.#lastId = Math.max(this.#lastId, number);
  }
}
