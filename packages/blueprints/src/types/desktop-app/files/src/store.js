import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The records of one entity, in a file of plain JSON that can be copied, backed up and read without the app. */
export function openStore(folder, entity) {
  const file = join(folder, `${entity.file}.json`);
  let { nextId, records } = load(file);

  const save = () => {
    mkdirSync(folder, { recursive: true });
    // Renamed into place: a crash while writing leaves the old file whole.
    writeFileSync(`${file}.new`, `${JSON.stringify({ nextId, records }, undefined, 2)}\n`);
    renameSync(`${file}.new`, file);
  };
  return {
    all: () => [...records],
    get: (id) => records.find((record) => record.id === id),
    add(values) {
      const record = { id: nextId, ...values };
      nextId += 1;
      records = [...records, record];
      save();
      return record;
    },
    change(id, values) {
      records = records.map((record) => (record.id === id ? { ...record, ...values, id } : record));
      save();
      return this.get(id);
    },
    remove(id) {
      records = records.filter((record) => record.id !== id);
      save();
    },
  };
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
