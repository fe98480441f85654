import { referencesOf } from "#src/references.js";
import { exampleOf, unknownOf } from "#testing/example-record.js";
import { ownModel as model, token } from "#testing/start-app.js";

const find = (wanted) => model.resources.find(({ name }) => name === wanted);

function neededBy(resource) {
  const { parent, fields } = resource;
  return referencesOf(resource).filter(({ field }) => field === parent?.field || fields[field]?.required);
}

/** Why no record of a resource can be made for a test; undefined if one can. */
export function reasonAgainst(resource, seen = []) {
  if (resource.is_single || resource.methods !== undefined) return "not every method is served";
  if (seen.includes(resource.name)) return "it needs itself";
  const needed = neededBy(resource).map(({ to }) => reasonAgainst(find(to), [...seen, resource.name]));
  return unknownOf(resource) ?? needed.find(Boolean);
}

/** Makes what a record must lead to; answers the values of the record itself, and where it would be added. */
export async function makeSurroundings(call, resource, number = 0) {
  const ids = {};
  let place = resource.path;
  for (const [index, { field, to }] of neededBy(resource).entries()) {
    // Two references may lead to records of one kind, which must differ.
    const made = await makeRecord(call, find(to), number + index);
    ids[field] = made.record.id;
    if (field === resource.parent?.field)
      place = `${made.place}/${made.record.id}${place.slice(place.lastIndexOf("}") + 1)}`;
  }
  return { place, ids, values: exampleOf(resource, { number, ids }) };
}

/** Makes a record, and what it must lead to; `more` are further values. */
export async function makeRecord(call, resource, number = 0, more = {}) {
  const { place, ids, values } = await makeSurroundings(call, resource, number);
  const { status, json, text } = await call("POST", place, { body: { ...values, ...more }, token });
  if (status !== 201) throw new Error(`${place}: ${text}`);
  return { place, ids, record: json, parameters: { ...ids, id: json.id } };
}
