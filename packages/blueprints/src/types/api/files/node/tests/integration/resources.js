import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleOf, isExampleKnown } from "#testing/example-record.js";
import { ownModel as model, startApp, token } from "#testing/start-app.js";

/** Makes the records that a record of this kind belongs to; answers where its own collection is. */
async function collectionOf(call, { path, parent }) {
  const owner = model.resources.find(({ name }) => name === parent?.resource);
  if (owner === undefined) return path.replace(/\{\w+\}/g, "1");
  const above = await collectionOf(call, owner);
  const { json } = await call("POST", above, { body: exampleOf(owner), token });
  return `${above}/${json.id}${path.slice(path.lastIndexOf("}") + 1)}`;
}

function isTestable(resource) {
  const owner = model.resources.find(({ name }) => name === resource.parent?.resource);
  return (
    !resource.is_single &&
    resource.only === undefined &&
    isExampleKnown(resource) &&
    (owner === undefined || isTestable(owner))
  );
}

for (const resource of model.resources.filter(isTestable)) {
  const { title, statuses } = resource;

  test(`${title}: created, found, changed and deleted`, async (t) => {
    const { call } = await startApp(t);
    const collection = await collectionOf(call, resource);
    const before = (await call("GET", collection, { token })).json.total;
    const created = await call("POST", collection, { body: exampleOf(resource), token });
    assert.equal(created.status, statuses.create, created.text);
    const place = created.headers.get("location");
    assert.deepEqual((await call("GET", place, { token })).json.id, created.json.id);
    assert.equal((await call("GET", collection, { token })).json.total, before + 1);
    assert.equal((await call("PATCH", place, { body: {}, token })).status, statuses.change);
    assert.equal((await call("PUT", place, { body: exampleOf(resource), token })).status, statuses.change);
    assert.equal((await call("DELETE", place, { token })).status, statuses.remove);
    assert.equal((await call("GET", place, { token })).status, 404);
  });

  test(`${title}: whatever is required is asked for`, async (t) => {
    const { call } = await startApp(t);
    const collection = await collectionOf(call, resource);
    for (const [name, { required, default: fallback }] of Object.entries(resource.fields)) {
      if (!required || fallback !== undefined) continue;
      const { [name]: _, ...body } = exampleOf(resource);
      const { status, json } = await call("POST", collection, { body, token });
      assert.equal(status, statuses.invalid);
      assert.equal(json.error.fields[name], "is required");
    }
  });
}

test("everything that is served is described", async (t) => {
  const { call } = await startApp(t);
  const [path] = model.system.openapi;
  const { json } = await call("GET", path, { token });
  for (const resource of model.resources) assert.ok(json.paths[resource.path], resource.path);
  assert.equal((await call("GET", model.system.health[0].path, { token })).status, 200);
});
