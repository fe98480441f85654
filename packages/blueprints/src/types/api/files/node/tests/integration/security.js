import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { exampleModel as model } from "#testing/example-model.js";
import { emptyFolder, startApp, token } from "#testing/start-app.js";

const password = "open sesame";

/** Makes an account and logs it in; answers its id and a way to call as it. */
async function signedUp(call, name) {
  const account = { email: `${name}@example.org`, password };
  const { status, json } = await call("POST", "/sign-up", { body: account });
  assert.equal(status, 201);
  const { json: login } = await call("POST", "/login", { body: account });
  return { id: json.id, call: (method, path, body) => call(method, path, { body, token: login.token }) };
}

test("what is protected is refused without a token, in whatever way it is asked for", async (t) => {
  const { call } = await startApp(t, { model });
  for (const method of ["GET", "HEAD"])
    for (const path of ["/export", "/export/", "//export", "/export?token=x", "/%65xport"]) {
      const { status, headers } = await call(method, path);
      assert.equal(status, 401, `${method} ${path}`);
      assert.equal(headers.get("www-authenticate"), "Bearer");
    }
  assert.equal((await call("GET", "/export", { token: "wrong" })).status, 401);
  assert.equal((await call("GET", "/export", { token })).status, 200);
});

test("where everything asks for a token, health, sign-up and login do not", async (t) => {
  const { call } = await startApp(t, { model: { ...model, protects: [{ rule: "*" }] } });
  assert.equal((await call("GET", "/health")).status, 200);
  assert.equal((await call("POST", "/login", { body: {} })).status, 422);
  assert.equal((await call("POST", "/sign-up", { body: {} })).status, 422);
  for (const path of ["/", "/shelves", "/openapi.json", "/docs", "/me"])
    assert.equal((await call("GET", path)).status, 401, path);
});

test("a login gives a token, and a wrong password or an unknown name does not", async (t) => {
  const { call } = await startApp(t, { model });
  const noor = await signedUp(call, "noor");
  assert.equal((await noor.call("GET", "/me")).json.email, "noor@example.org");
  for (const body of [
    { email: "noor@example.org", password: "guess" },
    { email: "nobody@example.org", password },
  ])
    assert.equal((await call("POST", "/login", { body })).status, 401);
  // Capitals make no other address.
  for (const email of ["noor@example.org", "Noor@Example.org"])
    assert.equal((await call("POST", "/sign-up", { body: { email, password } })).status, 409);
  assert.equal((await call("POST", "/login", { body: { email: "NOOR@example.org", password } })).status, 200);
});

test("whoever logs out, or changes the password, ends every token of the account", async (t) => {
  const { call } = await startApp(t, { model });
  const noor = await signedUp(call, "noor");
  assert.equal((await noor.call("POST", "/logout")).status, 204);
  assert.equal((await noor.call("GET", "/me")).status, 401);
  const omar = await signedUp(call, "omar");
  assert.equal((await omar.call("PATCH", `/members/${omar.id}`, { password: "another one" })).status, 200);
  assert.equal((await omar.call("GET", "/me")).status, 401);
});

test("a session in a cookie does as well, but not from another site", async (t) => {
  const { call } = await startApp(t, { model });
  const body = { email: "noor@example.org", password };
  await call("POST", "/sign-up", { body });
  const { headers } = await call("POST", "/login", { body });
  const cookie = headers.get("set-cookie").split(";")[0];
  assert.equal((await call("GET", "/me", { headers: { cookie } })).status, 200);
  const foreign = { cookie, origin: "https://elsewhere.example" };
  assert.equal((await call("POST", "/logout", { headers: foreign })).status, 403);
});

test("nobody makes themselves admin: not at sign-up, and not afterwards", async (t) => {
  const { call } = await startApp(t, { model });
  const body = { email: "eve@example.org", password, role: "admin" };
  assert.equal((await call("POST", "/sign-up", { body })).status, 422);
  assert.equal((await call("POST", "/members", { body })).status, 401);
  const eve = await signedUp(call, "eve");
  assert.equal((await eve.call("GET", "/me")).json.role, "reader");
  assert.equal((await eve.call("POST", "/members", { ...body, email: "eve2@example.org" })).status, 403);
  for (const method of ["PATCH", "PUT"]) {
    const { status } = await eve.call(method, `/members/${eve.id}`, {
      email: "eve@example.org",
      password,
      role: "admin",
    });
    assert.equal(status, 403, method);
  }
  assert.equal((await eve.call("PATCH", `/members/${eve.id}`, { email: "eva@example.org" })).json.role, "reader");
  assert.equal((await eve.call("GET", "/metrics")).status, 403);
});

test("a role opens what it is for, from the moment that it is given", async (t) => {
  const { call } = await startApp(t, { model });
  const noor = await signedUp(call, "noor");
  const given = await call("PATCH", `/members/${noor.id}`, { body: { role: "admin" }, token });
  assert.equal(given.status, 200);
  assert.equal((await noor.call("GET", "/metrics")).status, 200);
  const made = { email: "omar@example.org", password, role: "admin" };
  assert.equal((await noor.call("POST", "/members", made)).json.role, "admin");
});

test("everyone finds, changes and deletes only what is theirs", async (t) => {
  const { call } = await startApp(t, { model });
  await call("POST", "/shelves", { body: { name: "One" } });
  await call("POST", "/shelves/1/books", { body: { title: "Emma" } });
  const loan = { book_id: 1, from: "2030-05-04", until: "2030-05-05" };
  assert.equal((await call("POST", "/loans", { body: loan })).status, 401);
  const [noor, omar] = [await signedUp(call, "noor"), await signedUp(call, "omar")];
  const { json: own } = await noor.call("POST", "/loans", { ...loan, lent_to: omar.id });
  assert.equal(own.lent_to, noor.id);
  assert.equal((await noor.call("GET", "/loans")).json.total, 1);
  assert.equal((await omar.call("GET", "/loans")).json.total, 0);
  assert.equal((await omar.call("GET", `/loans/${own.id}`)).status, 404);
  assert.equal((await omar.call("PATCH", `/loans/${own.id}`, { until: "2030-05-09" })).status, 404);
  assert.equal((await noor.call("PATCH", `/loans/${own.id}`, { until: "2030-05-09" })).status, 200);
  assert.equal((await noor.call("DELETE", `/loans/${own.id}`)).status, 403);
  assert.equal((await omar.call("GET", `/members/${noor.id}`)).status, 404);
  assert.deepEqual((await omar.call("GET", "/export")).json.resources.loan, []);
});

test("a password is neither shown nor stored", async (t) => {
  const folder = await emptyFolder(t);
  const { call } = await startApp(t, { model, folder });
  const { text } = await call("POST", "/sign-up", { body: { email: "a@example.org", password } });
  assert.ok(!text.includes("password"));
  for (const path of ["/members", "/export"])
    assert.ok(!(await call("GET", path, { token })).text.includes("password"), path);
  for (const name of await readdir(folder)) assert.ok(!(await readFile(join(folder, name))).includes(password), name);
});

test("a path cannot lead out of the service, nor a body into its insides", async (t) => {
  const { call } = await startApp(t, { model });
  for (const path of [
    "/..%2f..%2fetc%2fpasswd",
    "/shelves/..%2f..%2fdata",
    "/members/__proto__",
    "/members/constructor",
  ])
    assert.ok([400, 404].includes((await call("GET", path, { token })).status), path);
  const raw = '{"name": "One", "__proto__": {"isAdmin": true}, "id": 99}';
  const { json } = await call("POST", "/shelves", { raw });
  assert.deepEqual([json.isAdmin, json.id], [undefined, 1]);
});

test("an answer is never taken for something else by a browser", async (t) => {
  const nasty = "<script>alert(1)</script>";
  const { call } = await startApp(t, { model: { ...model, description: nasty } });
  const { headers } = await call("POST", "/shelves", { body: { name: "<script>" } });
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  for (const path of ["/", "/docs"]) assert.ok(!(await call("GET", path)).text.includes(nasty), path);
});

test("what an action sets is not chosen in another way by whoever may not do it", async (t) => {
  const { call } = await startApp(t, { model });
  const noor = await signedUp(call, "noor");
  for (const [path, body] of [
    ["/shelves", { name: "One" }],
    ["/shelves/1/books", { title: "Emma" }],
  ])
    await call("POST", path, { body });
  const loan = { book_id: 1, from: "2030-05-04", until: "2030-05-05" };
  assert.equal((await noor.call("POST", "/loans", { ...loan, state: "granted" })).status, 403);
  assert.equal((await noor.call("POST", "/loans", { ...loan, state: "asked" })).status, 201);
  assert.equal((await noor.call("PATCH", "/loans/1", { state: "back" })).status, 403);
  assert.equal((await noor.call("PUT", "/loans/1", { ...loan, state: "granted" })).status, 403);
  assert.equal((await noor.call("POST", "/loans/1/grant")).status, 403);
  assert.equal((await call("POST", "/loans/1/grant", { token })).json.state, "granted");
  assert.equal((await noor.call("PUT", "/loans/1", loan)).json.state, "granted");
  assert.equal((await call("PATCH", "/loans/1", { body: { state: "back" }, token })).status, 200);
  assert.equal((await call("PATCH", "/loans/1", { body: { state: "granted" }, token })).status, 409);
});
