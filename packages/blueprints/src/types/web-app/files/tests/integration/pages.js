import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleModel as model } from "#testing/example-model.js";
import { startApp, token } from "#testing/start-app.js";

const form = (values) => ({
  raw: new URLSearchParams(values).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
});
const browser = { headers: { accept: "text/html,*/*" } };

test("a person adds, finds, edits and deletes a record without any script", async (t) => {
  const { call } = await startApp(t, { model });
  assert.match((await call("GET", "/", browser)).text, /Nothing yet/);
  const added = await call("POST", "/new", form({ name: "Poetry" }));
  assert.deepEqual([added.status, added.headers.get("location")], [303, "/at/1"]);
  assert.match((await call("GET", "/")).text, /<a href="\/at\/1">Poetry<\/a>/);
  assert.match((await call("GET", "/?q=prose")).text, /Nothing yet/);
  assert.match((await call("GET", "/at/1")).text, /<h1>Poetry<\/h1>/);
  assert.match((await call("GET", "/at/1/edit")).text, /value="Poetry"/);
  assert.equal((await call("POST", "/at/1/edit", form({ name: "Verse" }))).headers.get("location"), "/at/1");
  assert.equal((await call("GET", "/shelves/1")).json.name, "Verse");
  assert.match((await call("GET", "/at/1/delete")).text, /cannot be taken back/);
  assert.equal((await call("POST", "/at/1/delete", form({}))).headers.get("location"), "/");
  assert.equal((await call("GET", "/at/1", browser)).status, 404);
});

test("what is wrong in a form is shown beside the field, and what was right is kept", async (t) => {
  const { call } = await startApp(t, { model });
  await call("POST", "/new", form({ name: "One" }));
  const { status, text } = await call(
    "POST",
    "/at/1/add",
    form({ title: "", pages: "many", state: "worn", tags: "a, b" }),
  );
  assert.equal(status, 422);
  assert.match(text, /role="alert"/);
  assert.match(text, /aria-invalid="true" aria-describedby="field-title-problem"/);
  assert.match(text, /<option selected>worn/);
  assert.match(text, /value="a, b"/);
  assert.equal(
    (await call("POST", "/at/1/add", form({ title: "Emma", pages: "300", state: "new", tags: "" }))).status,
    303,
  );
  assert.match((await call("GET", "/at/1/all?state=new")).text, /Emma/);
  assert.equal((await call("GET", "/at/9/all", browser)).status, 404);
});

test("a long list is read in pages", async (t) => {
  const { call } = await startApp(t, { model });
  for (const name of ["A", "B", "C"]) await call("POST", "/shelves", { body: { name } });
  const { text } = await call("GET", "/?limit=1&offset=1");
  assert.match(text, /offset=0">Earlier/);
  assert.match(text, /offset=2">Later/);
});

test("a name that is markup is shown, and does nothing", async (t) => {
  const { call } = await startApp(t, { model });
  await call("POST", "/shelves", { body: { name: "<img onerror=x>" } });
  for (const path of ["/", "/at/1", "/at/1/edit", "/at/1/delete"])
    assert.ok(!(await call("GET", path)).text.includes("<img"));
});

test("a form that another site sent is refused", async (t) => {
  const { call } = await startApp(t, { model });
  const { raw, headers } = form({ name: "Theirs" });
  for (const origin of ["https://elsewhere.example", "null"])
    assert.equal((await call("POST", "/new", { raw, headers: { ...headers, origin } })).status, 403);
});

test("every page has a language, a title, one heading, and nothing from elsewhere", async (t) => {
  const { call } = await startApp(t, { model });
  await call("POST", "/shelves", { body: { name: "One" } });
  for (const path of ["/", "/new", "/at/1", "/at/1/edit", "/at/1/all", "/at/1/add", "/about"]) {
    const { text, headers } = await call("GET", path);
    assert.match(text, /<html lang="en">/);
    assert.match(text, /<title>[^<]+<\/title>/);
    assert.equal(text.match(/<h1>/g).length, 1);
    assert.ok(!/(?:src|href)="https?:/.test(text));
    assert.match(headers.get("content-security-policy"), /default-src 'self'/);
  }
});

test("a browser is told of errors in a page, others in JSON", async (t) => {
  const { call } = await startApp(t, { model });
  assert.match((await call("GET", "/nowhere", browser)).text, /<h1>Not found<\/h1>/);
  assert.equal((await call("GET", "/nowhere")).json.error.code, "not_found");
  assert.match((await call("GET", "/export", browser)).text, /token/);
  assert.equal((await call("GET", "/export", { ...browser, token })).status, 200);
});

test("styles and scripts are served with their types", async (t) => {
  const { call } = await startApp(t, { model });
  assert.match((await call("GET", "/assets/style.css")).headers.get("content-type"), /^text\/css/);
  assert.match((await call("GET", "/assets/enhance.js")).headers.get("content-type"), /^text\/javascript/);
});

test("the pictures that the manifest names are there, as large as it says", async (t) => {
  const { url, call } = await startApp(t, { model });
  const { status, text } = await call("GET", "/manifest.webmanifest");
  if (status === 404) return t.skip("it is not made for being installed");
  for (const { src, sizes, type } of JSON.parse(text).icons) {
    const response = await fetch(new URL(src, url));
    assert.equal(response.headers.get("content-type"), type);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (type === "image/png") assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
  }
});
