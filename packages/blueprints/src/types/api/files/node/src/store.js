import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Journal } from "./journal.js";

/** Everything that is kept, a file for each resource. */
export class Store {
  #collections = new Map();

  static async open(folder, resources) {
    await mkdir(folder, { recursive: true });
    const store = new Store();
    for (const { name, seed = [] } of resources)
      store.#collections.set(name, await Collection.open(join(folder, `${name}.jsonl`), seed));
    return store;
  }

  collection(name) {
    return this.#collections.get(name);
  }

  async close() {
    for (const collection of this.#collections.values()) await collection.close();
  }
}

/** The records of one resource: in memory to read, in a journal to survive. Ids are never given twice. */
class Collection {
  #records = new Map();
  #lastId = 0;
  #journal;

  static async open(path, seed) {
    let { journal, entries } = await Journal.open(path);
    const collection = new Collection();
    // Examples are for the first start only: once deleted, they stay deleted.
    if (entries.length === 0 && seed.length > 0) entries = seed.map((record) => ({ put: record }));
    for (const entry of entries) collection.#apply(entry);
    const compact = [{ last: collection.#lastId }, ...collection.all().map((record) => ({ put: record }))];
    if (compact.length < entries.length / 2 || (entries.length > 0 && entries[0].last === undefined)) {
      await journal.close();
      await Journal.rewrite(path, compact);
      ({ journal } = await Journal.open(path));
    }
    collection.#journal = journal;
    return collection;
  }

  all() {
    return [...this.#records.values()];
  }

  get(id) {
    return this.#records.get(String(id));
  }

  async insert(fields) {
    const record = { id: this.#lastId + 1, ...fields };
    await this.#change([{ put: record }]);
    return record;
  }

  async replace(record) {
    await this.#change([{ put: record }]);
    return record;
  }

  async remove(ids) {
    await this.#change(ids.map((id) => ({ remove: id })));
  }

  close() {
    return this.#journal.close();
  }

  // In memory at once, so that two requests never get the same id; answered only when it is on disk.
  async #change(entries) {
    for (const entry of entries) this.#apply(entry);
    await this.#journal.append(entries);
  }

  #apply({ put, remove, last }) {
    if (last !== undefined) this.#lastId = last;
    if (remove !== undefined) this.#records.delete(String(remove));
    if (put === undefined) return;
    this.#records.set(String(put.id), put);
    if (Number.isSafeInteger(put.id)) this.#lastId = Math.max(this.#lastId, put.id);
  }
}
