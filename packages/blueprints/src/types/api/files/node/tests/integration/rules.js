import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleModel as model } from "#testing/example-model.js";
import { startApp, token } from "#testing/start-app.js";

/** The service with a shelf and a book on it. */
async function withBook(t) {
  const { call } = await startApp(t, { model });
  const post = async (path, body) => call("POST", path, { body, token });
  await post("/shelves", { name: "One" });
  await post("/shelves/1/books", { title: "Emma", isbn: "1" });
  return { call, post, place: "/shelves/1/books/1" };
}

test("what must be unique is refused the second time, and the field is named", async (t) => {
  const { call, post, place } = await withBook(t);
  const { status, json } = await post("/shelves/1/books", { title: "Emma", isbn: "1" });
  assert.deepEqual([status, Object.keys(json.error.fields)], [409, ["isbn"]]);
  assert.equal((await call("PATCH", place, { body: { isbn: "1" } })).status, 200);
});

test("a reference must lead to something", async (t) => {
  const { post } = await withBook(t);
  const { status, json } = await post("/loans", { book_id: 9, from: "2030-05-04", until: "2030-05-05" });
  assert.equal(status, 422);
  assert.match(json.error.fields.book_id, /must be the id of a book that exists/);
});

test("what is referred to is kept, deleted or let go, as the model says", async (t) => {
  const { call, post, place } = await withBook(t);
  await post("/shelves/1/books", { title: "Persuasion", follows: 1 });
  const loan = await post("/loans", { book_id: 1, from: "2030-05-04", until: "2030-05-05" });
  const refused = await call("DELETE", place);
  assert.equal(refused.status, 409);
  assert.match(refused.json.error.message, /still used by the loan 1: delete it first, or change book_id/);
  await call("DELETE", `/loans/${loan.json.id}`, { token });
  assert.equal((await call("DELETE", place)).status, 204);
  assert.equal((await call("GET", "/shelves/1/books/2")).json.follows, null);
  assert.equal((await call("DELETE", "/shelves/1")).status, 204);
  assert.deepEqual((await call("GET", "/export", { token })).json.resources.book, []);
});

test("a rule between fields holds for what is added and for what is changed", async (t) => {
  const { call, post } = await withBook(t);
  const { status, json } = await post("/loans", { book_id: 1, from: "2030-05-04", until: "2030-05-04" });
  assert.deepEqual([status, json.error.fields], [422, { until: "must be after from" }]);
  await post("/loans", { book_id: 1, from: "2030-05-04", until: "2030-05-06" });
  assert.equal((await call("PATCH", "/loans/1", { body: { from: "2030-05-07" }, token })).status, 422);
});

test("spans of the same thing do not overlap, but may touch", async (t) => {
  const { post } = await withBook(t);
  const lend = async (from, until) => (await post("/loans", { book_id: 1, from, until })).status;
  assert.equal(await lend("2030-05-04", "2030-05-06"), 201);
  assert.equal(await lend("2030-05-05", "2030-05-07"), 409);
  assert.equal(await lend("2030-05-06", "2030-05-07"), 201);
  assert.equal(await lend("2030-05-06", "2030-05-08"), 409);
  assert.equal(await lend("2030-05-01", "2030-05-09"), 409);
});

test("a field moves only as it may, and some are required only then", async (t) => {
  const { call, place } = await withBook(t);
  const set = async (body) => (await call("PATCH", place, { body })).status;
  assert.equal(await set({ state: "worn" }), 422);
  assert.equal(await set({ state: "worn", pages: 10 }), 200);
  assert.equal((await call("POST", `${place}/lose`)).json.state, "lost");
  assert.equal(await set({ state: "new" }), 409);
  assert.equal((await call("POST", `${place}/lose`)).status, 409);
});

test("there are no more records than may be", async (t) => {
  const { post } = await withBook(t);
  for (const title of ["B", "C"]) assert.equal((await post("/shelves/1/books", { title })).status, 201);
  assert.equal((await post("/shelves/1/books", { title: "D" })).status, 409);
  await post("/shelves", { name: "Two" });
  assert.equal((await post("/shelves/2/books", { title: "D" })).status, 201);
});

test("a rule over what a record leads to holds from that side as well", async (t) => {
  const { call, post, place } = await withBook(t);
  const loan = { book_id: 1, from: "2030-05-04", until: "2030-05-05" };
  assert.equal((await post("/loans", loan)).status, 201);
  const { status, json } = await call("POST", `${place}/lose`);
  assert.deepEqual([status, json.error.message], [409, "The loan 1 would break a rule: is lost."]);
  assert.equal((await call("PATCH", place, { body: { state: "lost" } })).status, 409);
  assert.equal((await call("PATCH", place, { body: { title: "Emma, again" } })).status, 200);
  assert.equal((await call("PATCH", "/loans/1", { body: { state: "back" }, token })).status, 200);
  assert.equal((await call("POST", `${place}/lose`)).status, 200);
  assert.equal((await post("/loans", { ...loan, from: "2030-06-04", until: "2030-06-05" })).status, 422);
});
