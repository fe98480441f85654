import { resolve } from "./records/dates.js";
import { blank, brokenBy, removalOf } from "./records/fields.js";

/**
 * The records of all entities, kept in the browser's storage. Where storage is forbidden or full, the app works until
 * it is closed, and `onLost` tells.
 */
export function openStore(model, storage, today, onLost = () => {}, now = () => today) {
  const key = `${model.id}:records`;
  const found = load(storage, key);
  let data = found === undefined ? seeded(model, today) : asOfNow(model, found, today);

  const save = (next) => {
    data = next;
    try {
      storage.setItem(key, JSON.stringify(data));
    } catch {
      onLost();
    }
  };
  const allOf = ({ records }) => (entity) => records[entity] ?? [];
  const all = (entity) => allOf(data)(entity);
  const around = (state) => ({ model, today: now(), all: allOf(state) });
  /** Keeps what follows of a change, unless it breaks a rule of another record; says why it does not. */
  const change = (next) => {
    const problem = brokenBy(around(data), around(next));
    if (problem === undefined) save(next);
    return problem;
  };
  const withRecord = ({ nextId, records }, entity, record) => {
    const others = (records[entity] ?? []).filter(({ id }) => id !== record.id);
    const isNew = record.id === undefined;
    const kept = isNew ? { ...record, id: nextId } : record;
    return { nextId: nextId + (isNew ? 1 : 0), records: { ...records, [entity]: [...others, kept] } };
  };
  return {
    all,
    find: (entity, id) => all(entity).find((record) => record.id === id),
    /** Adds the record, or replaces the one with its id; says why where it cannot be. */
    put: (entity, record) => change(withRecord(data, entity, record)),
    /** Deletes a record with all that is part of it; says why where it cannot be. */
    remove(entity, id) {
      const { problem, removed, emptied } = removalOf(entity, id, { model, all });
      if (problem !== undefined) return problem;
      const emptiedOut = emptied.reduce(
        (state, { entity: name, id: of, field }) => withRecord(state, name, { ...all(name).find((one) => one.id === of), [field]: null }),
        data,
      );
      const isGone = (name, one) => removed.some((gone) => gone.entity === name && gone.id === one.id);
      const kept = Object.entries(emptiedOut.records).map(([name, records]) => [name, records.filter((one) => !isGone(name, one))]);
      return change({ ...emptiedOut, records: Object.fromEntries(kept) });
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

/** What an older version of the app kept, with the fields of this one: renamed ones keep their values. */
function asOfNow(model, { nextId, records }, today) {
  const renewed = model.entities.map((entity) => {
    const defaults = blank(entity, today);
    const value = (stored, { name, was }) => {
      if (Object.hasOwn(stored, name)) return stored[name];
      return was !== undefined && Object.hasOwn(stored, was) ? stored[was] : defaults[name];
    };
    const stored = records[entity.name] ?? records[entity.was] ?? [];
    return [entity.name, stored.map((one) => ({ ...one, ...Object.fromEntries(entity.fields.map((field) => [field.name, value(one, field)])) }))];
  });
  return { nextId, records: { ...records, ...Object.fromEntries(renewed) } };
}

/** What is there when the app is opened for the first time. */
function seeded(model, today) {
  const records = {};
  let nextId = 1;
  for (const entity of model.entities) {
    records[entity.name] = entity.seed.map((values) => {
      const given = Object.entries(values).map(([name, value]) => [name, resolve(value, today)]);
      const record = { ...blank(entity, today), ...Object.fromEntries(given) };
      nextId = Math.max(nextId, record.id + 1);
      return record;
    });
  }
  return { nextId, records };
}
