import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Auth, isProtected } from "#src/auth.js";
import { hashPassword, isPasswordOf } from "#src/passwords.js";
import { emptyFolder } from "#testing/start-app.js";

const bearer = (token) => ({ authorization: `Bearer ${token}` });

test("the right token is let in, everything else is refused", () => {
  const auth = new Auth("right");
  auth.check(bearer("right"));
  for (const headers of [{}, bearer("wrong"), bearer(""), bearer("a.b"), { authorization: "Basic cmlnaHQ=" }])
    assert.throws(() => auth.check(headers), { status: 401 });
});

test("a token can come in a header of its own", () => {
  const auth = new Auth("right", { header: "X-API-Key" });
  auth.check({ "x-api-key": "right" });
  assert.throws(() => auth.check(bearer("right")), { status: 401 });
});

test("a token from a login is good until it ends, and only as it was signed", () => {
  const auth = new Auth("right");
  const token = auth.issue("noor");
  auth.check(bearer(token));
  assert.throws(() => auth.check(bearer(auth.issue("noor", 0))), { status: 401 });
  assert.throws(() => auth.check(bearer(`x${token}`)), { status: 401 });
  assert.throws(() => new Auth("other").check(bearer(token)), { status: 401 });
});

test("without a token in the environment one is made once, and kept from others", async (t) => {
  const folder = await emptyFolder(t);
  const said = [];
  const settings = { folder, variable: "API_TOKEN", say: (text) => said.push(text) };
  await Auth.open(settings);
  const token = (await readFile(join(folder, "token"), "utf8")).trim();
  assert.equal((await stat(join(folder, "token"))).mode & 0o077, 0);
  assert.match(said.join(), /API_TOKEN is not set/);
  assert.ok(!said.join().includes(token));
  (await Auth.open(settings)).check(bearer(token));
});

test("a rule covers a route by its method and the shape of its path", () => {
  const rules = ["GET /a/{id}", "/b", "POST /c/*"];
  assert.ok(isProtected(rules, "GET", "/a/{a_id}"));
  assert.ok(!isProtected(rules, "PUT", "/a/{a_id}"));
  assert.ok(isProtected(rules, "DELETE", "/b"));
  assert.ok(isProtected(rules, "POST", "/c/d/e"));
  assert.ok(!isProtected(rules, "GET", "/c/d/e"));
});

test("a password is known by its hash, which never is the same twice", async () => {
  const hash = await hashPassword("open sesame");
  assert.ok(await isPasswordOf(hash, "open sesame"));
  assert.ok(!(await isPasswordOf(hash, "open barley")));
  assert.notEqual(hash, await hashPassword("open sesame"));
});
