import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "./errors.js";

/** Records in one JSON file. A change replaces the file as a whole, so that a crash leaves the old one. */
export function openStore(file) {
  return {
    async all() {
      return (await load(file)).records;
    },
    async add(values) {
      const [record] = await this.addAll([values]);
      return record;
    },
    /** Adds all or, if that fails, none. */
    async addAll(list) {
      const data = await load(file);
      const added = list.map((values, index) => {
        const id = data.lastId + index + 1;
        return Object.assign(Object.create(null), { id }, values, { id });
      });
      await save(file, { lastId: data.lastId + list.length, records: [...data.records, ...added] });
      return added;
    },
    async change(id, values) {
      const data = await load(file);
      const index = data.records.findIndex((record) => record.id === id);
      if (index === -1) throw notThere(id);
      const record = Object.assign(Object.create(null), data.records[index], values, { id });
      await save(file, { ...data, records: data.records.with(index, record) });
      return record;
    },
    async remove(id) {
      const data = await load(file);
      const found = data.records.find((record) => record.id === id);
      if (found === undefined) throw notThere(id);
      await save(file, { ...data, records: data.records.filter((record) => record !== found) });
      return found;
    },
  };
}

async function load(file) {
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (cause.code === "ENOENT") return { lastId: 0, records: [] };
    throw new Failure(`${file} cannot be read: ${cause.message}`, { cause });
  }
  try {
    const { lastId, records } = JSON.parse(text);
    if (Number.isInteger(lastId) && Array.isArray(records)) return { lastId, records };
  } catch {
    // Told below, as any other content that was not written by this program.
  }
  throw new Failure(`${file} is not a data file of this program; it was left as it is`);
}

async function save(file, data) {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, `${JSON.stringify(data, undefined, 2)}\n`);
    await rename(draft, file);
  } catch (cause) {
    throw new Failure(`${file} cannot be written: ${cause.message}`, { cause });
  }
}

function notThere(id) {
  return new Failure(`there is nothing with the number ${id}`);
}
