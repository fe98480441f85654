import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { exampleModel as model } from "#testing/example-model.js";
import { emptyFolder, startApp, token } from "#testing/start-app.js";

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

test("where everything asks for a token, health and login do not", async (t) => {
  const { call } = await startApp(t, { model: { ...model, protects: ["*"] } });
  assert.equal((await call("GET", "/health")).status, 200);
  assert.equal((await call("POST", "/login", { body: {} })).status, 422);
  for (const path of ["/shelves", "/openapi.json", "/metrics", "/teapot"])
    assert.equal((await call("GET", path)).status, 401, path);
});

test("a login gives a token, and a wrong password does not", async (t) => {
  const { call } = await startApp(t, { model });
  const account = { email: "noor@example.org", password: "open sesame" };
  assert.equal((await call("POST", "/members", { body: account })).status, 201);
  assert.equal((await call("POST", "/login", { body: { ...account, password: "guess" } })).status, 401);
  assert.equal((await call("POST", "/login", { body: { email: account.email } })).status, 422);
  const { json } = await call("POST", "/login", { body: account });
  assert.equal((await call("GET", "/export", { token: json.token })).status, 200);
});

test("a password is neither shown nor stored", async (t) => {
  const folder = await emptyFolder(t);
  const { call } = await startApp(t, { model, folder });
  const { text } = await call("POST", "/members", { body: { email: "a@example.org", password: "open sesame" } });
  assert.ok(!text.includes("password"));
  assert.ok(!(await call("GET", "/members")).text.includes("password"));
  for (const name of await readdir(folder))
    assert.ok(!(await readFile(join(folder, name))).includes("open sesame"), name);
});

test("a path cannot lead out of the service, nor a body into its insides", async (t) => {
  const { call } = await startApp(t, { model });
  for (const path of [
    "/..%2f..%2fetc%2fpasswd",
    "/shelves/..%2f..%2fdata",
    "/members/__proto__",
    "/members/constructor",
  ])
    assert.ok([400, 404].includes((await call("GET", path)).status), path);
  const raw = '{"email": "b@example.org", "password": "x", "__proto__": {"isAdmin": true}, "id": 99}';
  const { json } = await call("POST", "/members", { raw });
  assert.deepEqual([json.isAdmin, json.id], [undefined, 8]);
});

test("an answer is never taken for something else by a browser", async (t) => {
  const { call } = await startApp(t, { model });
  const { headers } = await call("POST", "/shelves", { body: { name: "<script>alert(1)" } });
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
});
