import { blank, check } from "./records.js";
import { resolve } from "./dates.js";

/**
 * The records of all entities, kept in the browser's storage. Where storage is forbidden or full, the app works until
 * it is closed.
 */
export function openStore(model, storage, today) {
  const key = `${model.id}:records`;
  let data = load(storage, key) ?? seeded(model, today);

  const save = (next) => {
    data = next;
    try {
      storage.setItem(key, JSON.stringify(data));
    } catch {
      // Nothing more can be done: what is on the screen is still right.
    }
  };
  return {
    all: (entity) => data.records[entity] ?? [],
    find: (entity, id) => (data.records[entity] ?? []).find((record) => record.id === id),
    put(entity, record) {
      const others = (data.records[entity] ?? []).filter(({ id }) => id !== record.id);
      const isNew = record.id === undefined;
      const kept = isNew ? { ...record, id: data.nextId } : record;
      save({ nextId: data.nextId + (isNew ? 1 : 0), records: { ...data.records, [entity]: [...others, kept] } });
      return kept;
    },
    remove(entity, id) {
      const others = (data.records[entity] ?? []).filter((record) => record.id !== id);
      save({ ...data, records: { ...data.records, [entity]: others } });
    },
  };
}

function load(storage, key) {
  try {
    const found = JSON.parse(storage.getItem(key));
    return typeof found?.nextId === "number" && typeof found.records === "object" ? found : undefined;
  } catch {
    return undefined;
  }
}

/** What is there when the app is opened for the first time. */
function seeded(model, today) {
  let nextId = 1;
  const records = {};
  for (const entity of model.entities) {
    records[entity.name] = entity.seed.map((values) => {
      const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolve(value, today)]));
      const { record } = check(entity, given, blank(entity, today));
      nextId += 1;
      return { ...record, id: nextId - 1 };
    });
  }
  return { nextId, records };
}
