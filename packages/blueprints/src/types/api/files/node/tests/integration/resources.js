import assert from "node:assert/strict";
import { test } from "node:test";
import { covers } from "#src/access.js";
import { operationsOf } from "#src/operations.js";
import { referencesOf } from "#src/references.js";
import { opened } from "#src/store.js";
import { validate } from "#src/validate.js";
import { exampleOf, unknownOf } from "#testing/example-record.js";
import { ownModel as model, startApp, token } from "#testing/start-app.js";

const find = (wanted) => model.resources.find(({ name }) => name === wanted);

/**
 * Makes one of each that a record must lead to, and of what `more` leads to; answers their ids, and where the record's
 * own collection is.
 */
async function surroundings(call, resource, number, more) {
  const ids = {};
  let place = resource.path;
  for (const [index, { field, to }] of referencesOf(resource).entries()) {
    const isNeeded = field === resource.parent?.field || field === more || resource.fields[field]?.required;
    if (!isNeeded) continue;
    // Two references may lead to records of one kind, which must differ.
    const { collection, json } = await make(call, find(to), number + index);
    ids[field] = json.id;
    if (field === resource.parent?.field) place = `${collection}/${json.id}${place.slice(place.lastIndexOf("}") + 1)}`;
  }
  return { ids, place };
}

async function make(call, resource, number = 0, more = undefined) {
  const { ids, place } = await surroundings(call, resource, number, more);
  const body = exampleOf(resource, { number, ids });
  const answer = await call("POST", place, { body, token });
  assert.equal(answer.status, 201, `${place}: ${answer.text}`);
  return { collection: place, ids, ...answer };
}

/** Why a resource cannot be tried out, if it cannot: nor can what leads to it. */
function reasonAgainst(resource, seen = []) {
  if (resource.methods !== undefined) return "not every method is served";
  if (seen.includes(resource.name)) return "it needs itself";
  const needed = referencesOf(resource).filter(
    ({ field }) => field === resource.parent?.field || resource.fields[field].required,
  );
  return unknownOf(resource) ?? needed.map(({ to }) => reasonAgainst(find(to), [...seen, resource.name])).find(Boolean);
}

/** A value that a record has from the start, if one has. */
function valueInSeed({ seed }, name) {
  return seed.map((record) => record[name]).find((value) => value !== undefined && value !== null);
}

/** Where a record would be added, and the value that it must not have. */
async function emptyPlace(call, resource, name, taken) {
  const { ids, place } = await surroundings(call, resource, 0);
  return { collection: place, ids, json: { [name]: taken } };
}

/** Why no two records can be tried with the same value, if they cannot. */
function unsharedOf(resource, name, { to }) {
  if (valueInSeed(resource, name) !== undefined) return undefined;
  if (to !== undefined) return reasonAgainst(find(to), [resource.name]);
  // A resource that was added by hand need not have any: then the field alone says what fits.
  return resource.examples?.[name]?.length === 0 ? `no value of ${name} is known that fits` : undefined;
}

for (const resource of model.resources.filter(({ is_single: isSingle }) => !isSingle)) {
  const { title, fields } = resource;
  const skip = reasonAgainst(resource);
  const options = skip === undefined ? {} : { skip };

  test(`${title}: added, found, changed and deleted`, options, async (t) => {
    const { call } = await startApp(t);
    const { collection, ids, json, headers } = await make(call, resource);
    const place = headers.get("location");
    assert.equal((await call("GET", place, { token })).json.id, json.id);
    const listed = await call("GET", `${collection}?limit=1000`, { token });
    assert.ok(listed.json[resource.list_key].some(({ id }) => id === json.id));
    assert.equal((await call("PATCH", place, { body: {}, token })).status, 200);
    const replaced = await call("PUT", place, { body: exampleOf(resource, { ids }), token });
    assert.equal(replaced.status, 200, replaced.text);
    assert.equal((await call("DELETE", place, { token })).status, 204);
    assert.equal((await call("GET", place, { token })).status, 404);
  });

  const required = Object.keys(fields).filter(
    (name) => fields[name].required && fields[name].default === undefined && fields[name].computed === undefined,
  );
  if (required.length > 0)
    test(`${title}: whatever is required is asked for`, options, async (t) => {
      const { call } = await startApp(t);
      const { ids, place } = await surroundings(call, resource, 0);
      for (const name of required) {
        const { [name]: _, ...body } = exampleOf(resource, { ids });
        const { status, json } = await call("POST", place, { body, token });
        assert.equal(status, 422);
        assert.equal(json.error.fields[name], "is required");
      }
    });

  for (const [name, field] of Object.entries(fields).filter(
    ([, one]) => one.unique && !one.is_owner && !one.is_role && one.computed === undefined,
  ))
    test(`${title}: no two have the same ${name}`, { skip: skip ?? unsharedOf(resource, name, field) }, async (t) => {
      const { call } = await startApp(t);
      const taken = valueInSeed(resource, name);
      const { collection, ids, json } =
        taken === undefined ? await make(call, resource, 0, name) : await emptyPlace(call, resource, name, taken);
      const body = { ...exampleOf(resource, { number: 1, ids }), [name]: json[name] };
      const { status, text } = await call("POST", collection, { body, token });
      assert.equal(status, 409, text);
    });

  for (const { field, to } of referencesOf(resource).filter(({ field: name }) => !fields[name]?.is_owner))
    test(`${title}: ${field} must lead to a ${find(to).title}`, options, async (t) => {
      const { call } = await startApp(t);
      const { ids, place } = await surroundings(call, resource, 0);
      const isAbove = field === resource.parent?.field;
      const lost = isAbove ? place.replace(/\/\d+(\/[^/]*)$/, "/999999$1") : place;
      const { status } = await call("POST", lost, {
        body: exampleOf(resource, { ids: { ...ids, [field]: 999999 } }),
        token,
      });
      assert.equal(status, isAbove ? 404 : 422);
    });

  if (resource.seed.length > 0)
    test(`${title}: the records that are there from the start fit`, () => {
      for (const record of resource.seed) {
        const { [resource.parent?.field]: _, ...values } = opened(record);
        assert.deepEqual(validate(resource, values).problems, {});
      }
    });
}

test("everything that is served is described", async (t) => {
  const { call } = await startApp(t);
  const { json } = await call("GET", model.system.openapi, { token });
  for (const { path, method } of operationsOf(model)) assert.ok(json.paths[path][method.toLowerCase()], path);
  for (const path of ["/", model.system.docs]) assert.match((await call("GET", path, { token })).text, /<h1>/);
  for (const path of model.system.health) assert.equal((await call("GET", path)).status, 200);
});

const closed = operationsOf(model).filter(({ who, ...operation }) => !who.includes("anyone") || isProtected(operation));

function isProtected({ method, path }) {
  const isOpen = [...model.system.health, model.auth.accounts?.login, model.auth.accounts?.sign_up].includes(path);
  return !isOpen && model.protects.some(({ rule }) => covers(rule, method, path));
}

test("what is closed is refused without a token, and answered with one", async (t) => {
  const { call } = await startApp(t);
  for (const { method, path } of closed) {
    const place = path.replace(/\{\w+\}/g, "999999");
    const body = method === "GET" ? {} : { body: {} };
    const without = await call(method, place, body);
    assert.equal(without.status, 401, `${method} ${path}: ${without.text}`);
    const { status, text } = await call(method, place, { ...body, token });
    // The service's own token is no account.
    const isOfAnAccount = [model.auth.accounts?.me, model.auth.accounts?.logout].includes(path);
    assert.equal([401, 403].includes(status), isOfAnAccount, `${method} ${path}: ${text}`);
  }
});
