import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "./database.js";
import { readJournal } from "./old-journal.js";

// A deleted record leaves its id behind: ids are never given twice, and other processes learn that it is gone.
const schema = `
  CREATE TABLE IF NOT EXISTS records (
    resource TEXT NOT NULL, id TEXT NOT NULL, record TEXT, revision INTEGER NOT NULL, UNIQUE (resource, id));
  CREATE INDEX IF NOT EXISTS records_by_revision ON records (revision);
  CREATE TABLE IF NOT EXISTS started (resource TEXT PRIMARY KEY)`;

/**
 * Everything that is kept: on disk in a database, and in memory to read. Several processes may share a folder: each sees
 * what the others have stored, and their changes wait for each other.
 */
export class Store {
  #database;
  #collections = new Map();
  #undo = [];
  /** The last change that is in memory. */
  #revision = 0;
  #changesAfter;
  #write;

  constructor(database, resources) {
    this.#database = database;
    this.#changesAfter = database.prepare(
      "SELECT resource, id, record, revision FROM records WHERE revision > ? ORDER BY rowid",
    );
    this.#write = database.prepare(
      `INSERT INTO records (resource, id, record, revision) VALUES (?, ?, ?, ?)
       ON CONFLICT (resource, id) DO UPDATE SET record = excluded.record, revision = excluded.revision`,
    );
    for (const { name } of resources) this.#collections.set(name, new Collection(this, name));
  }

  static async open(folder, resources) {
    await mkdir(folder, { recursive: true });
    const database = await Database.open(join(folder, "records.db"), schema);
    const isStarted = database.prepare("SELECT 1 FROM started WHERE resource = ?");
    const journals = new Map();
    for (const { name } of resources)
      if (isStarted.get(name) === undefined) journals.set(name, await readJournal(join(folder, `${name}.jsonl`)));
    const store = new Store(database, resources);
    await store.change(() => {
      for (const { name, seed = [] } of resources) store.#begin(name, journals.get(name), seed);
    });
    return store;
  }

  /** The records of a resource. */
  collection(name) {
    return this.#collections.get(name);
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
  write(name, id, record) {
    if (!this.#database.isChanging) throw new Error("Records are changed inside of change().");
    const before = this.#revision;
    const collection = this.#collections.get(name);
    const known = collection.known(id);
    this.#write.run(name, id, record === undefined ? null : JSON.stringify(record), before + 1);
    this.#revision = before + 1;
    collection.apply(id, record);
    this.#undo.push(() => {
      this.#revision = before;
      collection.apply(id, known);
    });
  }

  close() {
    return this.#database.close();
  }

  #catchUp() {
    for (const { resource, id, record, revision } of this.#changesAfter.all(this.#revision)) {
      this.#collections.get(resource)?.apply(id, record === null ? undefined : JSON.parse(record));
      this.#revision = Math.max(this.#revision, revision);
    }
  }

  /** Examples are for the first start only: once deleted, they stay deleted. */
  #begin(name, journal, seed) {
    const { changes } = this.#database.prepare("INSERT OR IGNORE INTO started VALUES (?)").run(name);
    if (Number(changes) === 0) return;
    for (const record of journal?.records ?? seed) this.write(name, String(record.id), record);
    const last = String(journal?.lastId ?? 0);
    if (last !== "0" && this.collection(name).get(last) === undefined) this.write(name, last, undefined);
  }
}

/** The records of one resource, in the order in which they were made. Ids are never given twice. */
class Collection {
  #store;
  #name;
  #records = new Map();
  #lastId = 0;

  constructor(store, name) {
    this.#store = store;
    this.#name = name;
  }

  all() {
    this.#store.refresh();
    return [...this.#records.values()];
  }

  get(id) {
    this.#store.refresh();
    return this.known(String(id));
  }

  insert(fields) {
    return this.replace({ id: this.#lastId + 1, ...fields });
  }

  replace(record) {
    this.#store.write(this.#name, String(record.id), record);
    return record;
  }

  remove(id) {
    this.#store.write(this.#name, String(id), undefined);
  }

  /** As it is in memory. */
  known(id) {
    return this.#records.get(id);
  }

  apply(id, record) {
    if (record === undefined) this.#records.delete(id);
    else this.#records.set(id, record);
    const number = Number(id);
    if (Number.isSafeInteger(number)) this.#lastId = Math.max(this.#lastId, number);
  }
}
