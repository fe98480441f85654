import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleModel as model } from "#testing/example-model.js";
import { sendRequest } from "#testing/send-request.js";
import { startApp, token } from "#testing/start-app.js";
import { Visitor } from "#testing/visitor.js";

const browser = { headers: { accept: "text/html,*/*" } };

async function visit(t) {
  const app = await startApp(t, { model });
  return { ...app, visitor: new Visitor(app.url) };
}

test("a person adds, finds, edits and deletes a record without any script", async (t) => {
  const { call, visitor } = await visit(t);
  assert.match((await visitor.open("/")).text, /Nothing yet/);
  const added = await visitor.submit(await visitor.open("/new"), "Add", { name: "Poetry" });
  assert.equal(added.path, "/at/1");
  assert.match((await visitor.open("/")).text, /<a href="\/at\/1">Poetry<\/a>/);
  assert.match((await visitor.open("/?q=prose")).text, /Nothing yet/);
  assert.match((await visitor.open("/at/1/edit")).text, /value="Poetry"/);
  const edited = await visitor.submit(await visitor.open("/at/1/edit"), "save", { name: "Verse" });
  assert.match(edited.text, /<h1>Verse<\/h1>/);
  assert.equal((await call("GET", "/shelves/1")).json.name, "Verse");
  const deleted = await visitor.submit(await visitor.open("/at/1/delete"), "confirm");
  assert.equal(deleted.path, "/");
  assert.equal((await visitor.open("/at/1")).status, 404);
});

test("what is wrong in a form is shown beside the field, and what was right is kept", async (t) => {
  const { visitor } = await visit(t);
  await visitor.submit(await visitor.open("/new"), "Add", { name: "One" });
  const values = { title: "", pages: "many", state: "worn", tags: "a, b" };
  const { status, text } = await visitor.submit(await visitor.open("/at/1/add"), "Add", values);
  assert.equal(status, 422);
  assert.match(text, /role="alert"/);
  assert.match(text, /required aria-invalid="true" aria-describedby="field-title-problem"/);
  assert.match(text, /<option value="worn" selected>/);
  assert.match(text, /value="a, b"/);
  const added = await visitor.submit(await visitor.open("/at/1/add"), "Add", {
    title: "Emma",
    pages: "300",
    state: "new",
  });
  assert.equal(added.path, "/at/1/all");
  assert.match((await visitor.open("/at/1/all?state=new&tags=")).text, /Emma/);
  assert.match((await visitor.open("/at/1")).text, /<h2>Its books<\/h2>.*Emma/s);
  const next = await visitor.open("/at/1/add");
  assert.match(next.text, /<option value="1">Emma<\/option>/);
  await visitor.submit(next, "Add", { title: "Persuasion", follows: "1" });
  assert.equal((await visitor.open("/at/9/all")).status, 404);
});

test("a list is sorted by its headings, and read in pages", async (t) => {
  const { call } = await visit(t);
  for (const name of ["B", "A", "C"]) await call("POST", "/shelves", { body: { name } });
  const { text } = await call("GET", "/?limit=1&offset=1&sort=name");
  assert.match(text, /aria-sort="ascending"><a href="\?[^"]*sort=-name/);
  assert.match(text, /<td data-label="Name"><a href="\/at\/1">B</);
  assert.match(text, /offset=0&?[^>]*">previous/);
  assert.match(text, /offset=2&?[^>]*">next/);
});

test("a name that is markup is shown, and does nothing", async (t) => {
  const { call } = await visit(t);
  await call("POST", "/shelves", { body: { name: "<img onerror=x>" } });
  for (const path of ["/", "/at/1", "/at/1/edit", "/at/1/delete"])
    assert.ok(!(await call("GET", path)).text.includes("<img"));
});

test("every page has a language, a title, one heading, and nothing from elsewhere", async (t) => {
  const { call } = await visit(t);
  await call("POST", "/shelves", { body: { name: "One" } });
  for (const path of [
    "/",
    "/new",
    "/at/1",
    "/at/1/edit",
    "/at/1/all",
    "/at/1/add",
    "/about",
    "/cups",
    "/login",
    "/basket",
  ]) {
    const { text, headers } = await call("GET", path);
    assert.match(text, /<html lang="en">/);
    assert.match(text, /<title>[^<]+<\/title>/);
    assert.equal(text.match(/<h1>/g).length, 1);
    assert.ok(!/(?:src|href)="https?:/.test(text));
    assert.match(headers.get("content-security-policy"), /default-src 'self'/);
  }
});

test("a browser is told of errors in a page, others in JSON", async (t) => {
  const { call } = await visit(t);
  assert.match((await call("GET", "/nowhere", browser)).text, /<h1>not found<\/h1>/);
  assert.equal((await call("GET", "/nowhere")).json.error.code, "not_found");
  assert.equal((await call("GET", "/export", browser)).headers.get("location"), "/login?next=%2Fexport");
  assert.equal((await call("GET", "/export", { ...browser, token })).status, 200);
});

test("styles and scripts are served with their types", async (t) => {
  const { call } = await visit(t);
  assert.match((await call("GET", "/assets/style.css")).headers.get("content-type"), /^text\/css/);
  assert.match((await call("GET", "/assets/enhance.js")).headers.get("content-type"), /^text\/javascript/);
});

test("the pictures that the manifest names are there, as large as it says", async (t) => {
  const { url, call } = await visit(t);
  const { status, text } = await call("GET", "/manifest.webmanifest");
  if (status === 404) return t.skip("it is not made for being installed");
  for (const { src, sizes, type } of JSON.parse(text).icons) {
    const { headers, bytes } = await sendRequest(new URL(src, url));
    assert.equal(headers.get("content-type"), type);
    if (type === "image/png") assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
  }
});
