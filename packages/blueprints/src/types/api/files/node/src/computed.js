import { maySee } from "./access.js";
import { leadsNowhere } from "./references.js";

/**
 * Fields that the service works out itself, as their `computed` says; nobody sends them. `copies` is the value of what a
 * reference leads to, as it was when the record came to lead there. `sums` is what the records that refer to this one
 * cost together; their price is their own, or with `via` that of what they lead to.
 */

/** The computed values of a record that is about to be stored; `known` is the record as it was before. */
export function computedOf({ resource, store }, record, known) {
  const entries = Object.entries(resource.fields).filter(([, { computed }]) => computed !== undefined);
  return Object.fromEntries(
    entries.map(([name, { computed: { copies } }]) => {
      // Nothing refers to a new record yet.
      if (copies === undefined) return [name, known === undefined ? 0 : (known[name] ?? null)];
      const { from, of, field } = copies;
      const isKept = known !== undefined && String(known[from]) === String(record[from]);
      return [name, (isKept ? known[name] : store.collection(of).get(record[from])?.[field]) ?? null];
    }),
  );
}

/**
 * Refuses a record that would count in a sum which the actor may not see, as if that were not there: whoever could add to
 * the order of somebody else would choose what it costs.
 */
export function refuseUnseenSum({ model, store, resource }, actor, record) {
  for (const whole of model.resources)
    for (const { computed } of Object.values(whole.fields)) {
      if (computed?.sums?.of !== resource.name) continue;
      const { by } = computed.sums;
      const found = store.collection(whole.name).get(record[by]);
      if (found !== undefined && !maySee(whole, actor, found)) throw leadsNowhere([[by, whole.title, record[by]]]);
    }
}

/** Works out the sums again that a record counts in, after it was added, changed or deleted: all its versions count. */
export function updateSums({ model, store, resource }, ...versions) {
  for (const whole of model.resources)
    for (const [name, { computed }] of Object.entries(whole.fields)) {
      if (computed?.sums?.of !== resource.name) continue;
      const ids = new Set(versions.map((version) => String(version[computed.sums.by])));
      for (const id of ids) updateSum(store, { whole, name, sums: computed.sums, id });
    }
}

function updateSum(store, { whole, name, sums: { of, by, price, quantity, via }, id }) {
  const record = store.collection(whole.name).get(id);
  if (record === undefined) return;
  const parts = store.collection(of).all().filter((part) => String(part[by]) === id);
  const priced = (part) => (via === undefined ? part : store.collection(via.of).get(part[via.from]))?.[price] ?? 0;
  const sum = rounded(parts.reduce((total, part) => total + rounded(priced(part) * (part[quantity] ?? 0)), 0));
  if (sum === record[name]) return;
  store.collection(whole.name).replace({ ...record, [name]: sum, updated_at: new Date().toISOString() });
}

/** Sums of prices are exact to the cent. */
export function rounded(amount) {
  return Math.round(amount * 100) / 100;
}
