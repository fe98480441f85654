import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { covers } from "#src/access.js";
import { Auth } from "#src/auth.js";
import { hashPassword, isPasswordOf } from "#src/passwords.js";
import { emptyFolder } from "#testing/start-app.js";

const bearer = (token) => ({ method: "GET", headers: { authorization: `Bearer ${token}` } });
const accounts = { resource: "user", role_field: "role" };
const user = { id: 3, role: "admin" };
const store = (record = user) => ({ collection: () => ({ get: (id) => (id === record.id ? record : undefined) }) });

test("the right token is the service, everything else is nobody", () => {
  const auth = new Auth("right");
  assert.deepEqual(auth.actorOf(bearer("right"), store()), { isService: true });
  for (const token of ["wrong", "", "a.b"]) assert.equal(auth.actorOf(bearer(token), store()), undefined);
  assert.equal(auth.actorOf({ method: "GET", headers: { authorization: "Basic cmlnaHQ=" } }, store()), undefined);
});

test("a token can come in a header of its own", () => {
  const auth = new Auth("right", { header: "X-API-Key" });
  assert.ok(auth.actorOf({ method: "GET", headers: { "x-api-key": "right" } }, store()));
  assert.equal(auth.actorOf(bearer("right"), store()), undefined);
});

test("a token from a login is good until it ends, and only as it was signed", () => {
  const auth = new Auth("right", { accounts, session_hours: 1 });
  const { token } = auth.issue(user);
  assert.deepEqual(auth.actorOf(bearer(token), store()), { account: user, role: "admin" });
  assert.equal(auth.actorOf(bearer(auth.issue(user, 0).token), store()), undefined);
  assert.equal(auth.actorOf(bearer(`x${token}`), store()), undefined);
  assert.equal(new Auth("other", { accounts }).actorOf(bearer(token), store()), undefined);
  assert.equal(auth.actorOf(bearer(token), store({ ...user, tokens_from: Date.now() + 1000 })), undefined);
});

test("a cookie counts as a token does, but not from another site", () => {
  const auth = new Auth("right", { accounts, session_hours: 1 });
  const cookie = auth.cookie(auth.issue(user).token, {}).split(";")[0];
  const from = (origin, method = "POST") => ({
    method,
    headers: { cookie: `a=b; ${cookie}`, host: "here", ...origin },
  });
  assert.equal(auth.actorOf(from({}), store()).role, "admin");
  assert.equal(auth.actorOf(from({ origin: "http://here" }), store()).role, "admin");
  assert.throws(() => auth.actorOf(from({ origin: "http://there" }), store()), { status: 403 });
  assert.match(auth.cookie("x", { "x-forwarded-proto": "https" }), /HttpOnly; SameSite=Lax; Max-Age=3600; Secure$/);
});

test("without a token in the environment one is made once, and kept from others", async (t) => {
  const folder = await emptyFolder(t);
  const said = [];
  const settings = { folder, settings: { token_variable: "API_TOKEN" }, say: (text) => said.push(text) };
  await Auth.open(settings);
  const token = (await readFile(join(folder, "token"), "utf8")).trim();
  assert.equal((await stat(join(folder, "token"))).mode & 0o077, 0);
  assert.match(said.join(), /API_TOKEN is not set/);
  assert.ok(!said.join().includes(token));
  assert.ok((await Auth.open(settings)).actorOf(bearer(token), store()));
});

test("a rule covers a route by its method and the shape of its path, and what is below", () => {
  for (const [rule, method, path] of [
    ["GET /a/{id}", "GET", "/a/{a_id}"],
    ["/b", "DELETE", "/b"],
    ["/b", "PATCH", "/b/{id}"],
    ["POST /c/*", "POST", "/c/d/e"],
    ["*", "GET", "/any"],
  ])
    assert.ok(covers(rule, method, path), rule);
  assert.ok(!covers("GET /a/{id}", "PUT", "/a/{a_id}"));
  assert.ok(!covers("/b", "GET", "/bees"));
  assert.ok(!covers("POST /c/*", "GET", "/c/d/e"));
});

test("a password is known by its hash, which never is the same twice", async () => {
  const hash = await hashPassword("open sesame");
  assert.ok(await isPasswordOf(hash, "open sesame"));
  assert.ok(!(await isPasswordOf(hash, "open barley")));
  assert.notEqual(hash, await hashPassword("open sesame"));
});
