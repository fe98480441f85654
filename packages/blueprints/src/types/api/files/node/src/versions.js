/**
 * Records outlive the version of the service that wrote them, and two versions may share them. So nothing is rewritten:
 * each record is stored with the names of the fields that its writer knew, and each version reads it through its own
 * model. A field that was renamed is stored under its old name as well, for the version before; one that is gone stays
 * in the record, unseen, for the way back.
 */
export class Version {
  #fields;
  #moved;

  constructor({ fields, parent }) {
    this.#fields = parent === undefined ? fields : { ...fields, [parent.field]: { type: "reference" } };
    this.#moved = Object.entries(this.#fields).filter(([, { was }]) => was !== undefined);
  }

  /** The names that a record written by this version has. */
  get names() {
    return Object.keys(this.#fields);
  }

  /** A stored record as this version sees it; `names` are those that its writer knew, if it noted them. */
  read(stored, names) {
    const record = {};
    for (const [name, value] of Object.entries(stored))
      if (always.includes(name) || Object.hasOwn(this.#fields, name)) record[name] = value;
    for (const [name, { was }] of this.#moved) {
      const isOld = names === undefined ? !Object.hasOwn(stored, name) : !names.includes(name);
      if (isOld && Object.hasOwn(stored, was)) record[name] = stored[was];
    }
    for (const [name, field] of Object.entries(this.#fields)) {
      if (record[name] === undefined) record[name] = defaultFor(field);
      else record[name] = converted(field, record[name]);
    }
    return record;
  }

  /** A record as it is stored: with what other versions have put into it, and under the old names too. */
  write(record, before = {}) {
    const old = this.#moved
      .filter(([name]) => Object.hasOwn(record, name))
      .map(([name, { was }]) => [was, record[name]]);
    return { ...before, ...record, ...Object.fromEntries(old.filter(([was]) => !Object.hasOwn(this.#fields, was))) };
  }
}

const always = ["id", "created_at", "updated_at", "tokens_from"];

/** A field that the writer did not know. Moments of creation cannot be made up afterwards. */
function defaultFor({ type, default: fallback }) {
  const isClock = (type === "date" || type === "datetime") && (fallback === "now" || fallback === "today");
  return fallback === undefined || isClock ? null : fallback;
}

/** A value of a field whose type has changed, where nothing is lost by it; else as it is. */
function converted({ type }, value) {
  if ((type === "integer" || type === "number") && typeof value === "string" && value.trim() !== "") {
    const number = Number(value);
    return Number.isFinite(number) && (type === "number" || Number.isSafeInteger(number)) ? number : value;
  }
  const isText = ["string", "text"].includes(type);
  return isText && (typeof value === "number" || typeof value === "boolean") ? String(value) : value;
}
