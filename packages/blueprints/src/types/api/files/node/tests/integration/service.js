import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseOldNode } from "#src/refuse-old-node.js";
import { exampleModel as model } from "#testing/example-model.js";
import { emptyFolder, startApp, token } from "#testing/start-app.js";

test("a record is created, read, changed, replaced and deleted", async (t) => {
  const { call } = await startApp(t, { model });
  const created = await call("POST", "/shelves", { body: { name: "Poetry" } });
  assert.equal(created.status, 201);
  const place = created.headers.get("location");
  assert.equal(place, `/shelves/${created.json.id}`);
  assert.equal((await call("GET", place)).json.name, "Poetry");
  assert.equal((await call("PATCH", place, { body: { name: "Verse" } })).json.name, "Verse");
  assert.equal((await call("PUT", place, { body: { name: "Prose" } })).json.created_at, created.json.created_at);
  assert.equal((await call("PUT", place, { body: {} })).status, 422);
  assert.equal((await call("DELETE", place)).status, 204);
  assert.equal((await call("GET", place)).status, 404);
});

test("what belongs to a record is found under it only, and goes with it", async (t) => {
  const { call } = await startApp(t, { model });
  const { json: first } = await call("POST", "/shelves", { body: { name: "One" } });
  const { json: second } = await call("POST", "/shelves", { body: { name: "Two" } });
  const { json: book } = await call("POST", `/shelves/${first.id}/books`, { body: { title: "Emma" } });
  assert.equal(book.shelf_id, first.id);
  assert.equal((await call("GET", `/shelves/${first.id}/books/${book.id}`)).status, 200);
  assert.equal((await call("GET", `/shelves/${second.id}/books/${book.id}`)).status, 404);
  assert.equal((await call("GET", `/shelves/${second.id}/books`)).json.total, 0);
  assert.equal((await call("POST", "/shelves/99/books", { body: { title: "Lost" } })).status, 404);
  await call("DELETE", `/shelves/${first.id}`);
  const { json } = await call("GET", "/export", { token });
  assert.deepEqual(json.resources.book, []);
});

test("every problem of a body is named at once", async (t) => {
  const { call } = await startApp(t, { model });
  await call("POST", "/shelves", { body: { name: "One" } });
  const body = { pages: 0, state: "burnt", colour: "red" };
  const { status, json } = await call("POST", "/shelves/1/books", { body });
  assert.equal(status, 422);
  assert.deepEqual(Object.keys(json.error.fields).sort(), ["colour", "pages", "state", "title"]);
});

test("a list is filtered and sorted", async (t) => {
  const { call } = await startApp(t, { model });
  await call("POST", "/shelves", { body: { name: "One" } });
  for (const [title, state] of [
    ["A", "worn"],
    ["B", "new"],
    ["C", "worn"],
  ])
    await call("POST", "/shelves/1/books", { body: { title, state, pages: 10 } });
  const { json } = await call("GET", "/shelves/1/books?state=worn&sort=-title&limit=1");
  assert.deepEqual([json.total, json.items.map(({ title }) => title)], [2, ["C"]]);
  assert.equal((await call("GET", "/shelves/1/books?limit=none")).status, 400);
  const { json: none } = await call("GET", "/shelves/1/books?pages_min=11");
  assert.equal(none.total, 0);
});

test("what there is one of is read, replaced and changed where it stands", async (t) => {
  const { call } = await startApp(t, { model });
  assert.deepEqual((await call("GET", "/settings")).json, { id: 1, size: 12 });
  assert.equal((await call("PUT", "/settings", { body: {} })).status, 422);
  await call("PUT", "/settings", { body: { theme: "dark", size: 2 } });
  await call("PATCH", "/settings", { body: { size: 3 } });
  const { json } = await call("GET", "/settings");
  assert.deepEqual([json.theme, json.size], ["dark", 3]);
  assert.equal((await call("POST", "/settings", { body: {} })).status, 405);
});

test("everything is there after a restart", async (t) => {
  const folder = await emptyFolder(t);
  const before = await startApp(t, { model, folder });
  await before.call("POST", "/shelves", { body: { name: "Kept" } });
  await before.stop();
  const after = await startApp(t, { model, folder });
  assert.equal((await after.call("GET", "/shelves/1")).json.name, "Kept");
  assert.equal((await after.call("GET", "/members/7", { token })).json.email, "first@example.org");
});

test("what cannot be understood is refused with the status that says why", async (t) => {
  const { call } = await startApp(t, { model, environment: { MAX_BODY_BYTES: "1000" } });
  assert.equal((await call("POST", "/shelves", { raw: "{" })).status, 400);
  assert.equal((await call("POST", "/shelves", { raw: "[]" })).status, 422);
  assert.equal((await call("POST", "/shelves", { raw: "x".repeat(2000) })).status, 413);
  assert.equal((await call("GET", "/shelves/one")).status, 404);
  assert.equal((await call("GET", "/%E0%A4%A")).status, 400);
  assert.equal((await call("GET", "/nowhere")).status, 404);
  const refused = await call("DELETE", "/shelves");
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS, POST"]);
});

test("HEAD is GET without its body, and OPTIONS says what is possible", async (t) => {
  const { call } = await startApp(t, { model });
  const head = await call("HEAD", "/health");
  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.equal((await call("OPTIONS", "/health")).headers.get("allow"), "GET, HEAD, OPTIONS");
});

test("health, metrics and description are served, the description also as a page", async (t) => {
  const { call } = await startApp(t, { model });
  assert.deepEqual((await call("GET", "/health")).json, { status: "ok" });
  const { json } = await call("GET", "/openapi.json");
  assert.deepEqual(Object.keys(json.paths["/shelves/{shelf_id}/books/{id}"]), ["get", "put", "patch", "delete"]);
  assert.deepEqual(json.components.schemas.book.required, ["title"]);
  assert.deepEqual(json.paths["/loans"].post.security, [{ token: [] }]);
  assert.match((await call("GET", "/metrics", { token })).text, /http_requests_total\{method="GET",status="200"\} 2/);
  const page = await call("GET", "/docs");
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  for (const path of Object.keys(json.paths)) assert.ok(page.text.includes(path), path);
  const { text } = await call("GET", "/");
  assert.match(text, /<h1>Library<\/h1>.*href="\/docs"/s);
});

test("a fault is reported here, and the caller is told nothing of it", async (t) => {
  const broken = { ...model, resources: [{ ...model.resources[0], filters: undefined }, model.resources[3]] };
  const { call, said } = await startApp(t, { model: broken });
  await call("POST", "/shelves", { body: { name: "One" } });
  const { status, text } = await call("GET", "/shelves");
  assert.equal(status, 500);
  assert.ok(!text.includes("undefined"));
  assert.equal(said.length, 1);
});

test("an old Node is told which one is needed, in one line", (t) => {
  const said = t.mock.method(console, "error", () => {}).mock;
  const codes = [];
  const exit = (code) => codes.push(code);
  refuseOldNode({ exit, version: "v20.11.0" });
  refuseOldNode({ exit, version: "v24.0.0", getBuiltinModule: () => ({}) });
  assert.deepEqual(codes, [1]);
  assert.match(said.calls[0].arguments[0], /^This needs Node 22\.13 or newer, and this is v20\.11\.0/);
});
