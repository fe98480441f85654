import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { exampleModel as model } from "#testing/example-model.js";
import { startApp, token } from "#testing/start-app.js";
import { Visitor } from "#testing/visitor.js";

const password = randomUUID();

const visit = (t) => startApp(t, { model });

async function signedUp(url, email) {
  const visitor = new Visitor(url);
  const page = await visitor.submit(await visitor.open("/sign-up"), "Sign up", { email, password });
  assert.equal(page.path, "/");
  return visitor;
}

test("a person signs up, logs out and in again, and comes to the page that was asked for", async (t) => {
  const { url } = await visit(t);
  const noor = await signedUp(url, "noor@example.org");
  assert.match((await noor.open("/")).text, /noor@example\.org/);
  await noor.submit(await noor.open("/"), "log out");
  assert.equal(noor.cookies.size, 0);
  const asked = await noor.open("/orders");
  assert.equal(asked.path, "/login?next=%2Forders");
  const wrong = await noor.submit(asked, "log in", { email: "noor@example.org", password: `not ${password}` });
  assert.equal(wrong.status, 401);
  assert.match(wrong.text, /role="alert"/);
  const right = await noor.submit(wrong, "log in", { email: "noor@example.org", password });
  assert.equal(right.path, "/orders");
});

test("a session that was logged out is over, even for whoever kept its cookie", async (t) => {
  const { url, call } = await visit(t);
  const noor = await signedUp(url, "noor@example.org");
  const headers = { cookie: `session=${noor.cookies.get("session")}` };
  assert.equal((await call("GET", "/me", { headers })).status, 200);
  await noor.submit(await noor.open("/"), "log out");
  assert.equal((await call("GET", "/me", { headers })).status, 401);
});

test("somebody whose session is over, but not its cookie, can log in again", async (t) => {
  const { url } = await visit(t);
  const noor = await signedUp(url, "noor@example.org");
  const elsewhere = new Visitor(url);
  const account = { email: "noor@example.org", password };
  await elsewhere.submit(await elsewhere.open("/login"), "log in", account);
  await elsewhere.submit(await elsewhere.open("/"), "log out");
  const asked = await noor.open("/orders");
  assert.equal(asked.path, "/login?next=%2Forders");
  assert.equal((await noor.submit(asked, "log in", account)).path, "/orders");
});

test("the cookie of a session is kept from scripts and from other sites", async (t) => {
  const { call } = await visit(t);
  await call("POST", "/sign-up", { body: { email: "noor@example.org", password } });
  const form = new URLSearchParams({ email: "noor@example.org", password }).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const plain = await call("POST", "/login", { raw: form, headers: type });
  assert.match(plain.headers.get("set-cookie"), /; HttpOnly; SameSite=Lax; Max-Age=3600$/);
  const behindTls = await call("POST", "/login", { raw: form, headers: { ...type, "x-forwarded-proto": "https" } });
  assert.match(behindTls.headers.get("set-cookie"), /; Secure$/);
});

test("nobody makes themselves an admin: neither at sign-up nor later", async (t) => {
  const { url, call } = await visit(t);
  const noor = new Visitor(url);
  await noor.submit(await noor.open("/sign-up"), "Sign up", { email: "noor@example.org", password, role: "admin" });
  const { json } = await call("GET", "/me", { headers: { cookie: `session=${noor.cookies.get("session")}` } });
  assert.equal(json.role, "reader");
  assert.equal((await noor.open("/desk")).status, 403);
  const own = await noor.open(`/desk/${json.id}/edit`);
  assert.ok(!own.text.includes('name="role"'));
  await noor.submit(own, "save", { role: "admin" });
  assert.equal((await call("GET", `/members/${json.id}`, { token })).json.role, "reader");
  assert.ok(!(await noor.open("/")).text.includes("Desk"));
});

test("an admin opens the desk, gives a role, and leaves a password as it is", async (t) => {
  const { url, call } = await visit(t);
  const noor = await signedUp(url, "noor@example.org");
  const [{ id }] = (await call("GET", "/members?q=", { token })).json.items.filter(({ role }) => role === "reader");
  await call("PATCH", `/members/${id}`, { body: { role: "admin" }, token });
  assert.match((await noor.open("/")).text, /href="\/desk"/);
  const page = await noor.open(`/desk/${id}/edit`);
  assert.ok(!page.text.includes("scrypt"));
  // She is led back to the desk, which is not for her any more.
  assert.equal((await noor.submit(page, "save", { role: "reader" })).status, 403);
  assert.equal((await call("GET", `/members/${id}`, { token })).json.role, "reader");
  const again = new Visitor(url);
  const entered = await again.submit(await again.open("/login"), "log in", { email: "noor@example.org", password });
  assert.equal(entered.path, "/");
});

test("a login leads only to this site", async (t) => {
  const { url } = await visit(t);
  await signedUp(url, "noor@example.org");
  for (const next of [
    "https://elsewhere.example/",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "javascript:alert(1)",
  ]) {
    const visitor = new Visitor(url);
    const page = await visitor.open(`/login?next=${encodeURIComponent(next)}`);
    assert.equal((await visitor.submit(page, "log in", { email: "noor@example.org", password })).path, "/");
  }
});

test("a form that another site made or sent is refused", async (t) => {
  const { url, call } = await visit(t);
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const raw = new URLSearchParams({ name: "Theirs" }).toString();
  for (const headers of [
    { origin: "https://elsewhere.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ])
    assert.equal((await call("POST", "/new", { raw, headers: { ...type, ...headers } })).status, 403);
  const noor = await signedUp(url, "noor@example.org");
  const cookie = `session=${noor.cookies.get("session")}`;
  assert.equal((await call("POST", "/new", { raw, headers: { ...type, cookie } })).status, 403);
  const forged = new URLSearchParams({ name: "Theirs", form_token: "x".repeat(43) }).toString();
  assert.equal((await call("POST", "/new", { raw: forged, headers: { ...type, cookie } })).status, 403);
  assert.equal((await noor.submit(await noor.open("/new"), "Add", { name: "Ours" })).status, 200);
  assert.equal((await call("GET", "/shelves")).json.total, 1);
});

test("somebody sees their own records only, and what they may not do is not offered", async (t) => {
  const { url, call } = await visit(t);
  const [noor, omar] = [await signedUp(url, "noor@example.org"), await signedUp(url, "omar@example.org")];
  for (const visitor of [noor, omar]) {
    await visitor.submit(await visitor.open("/cups"), "Add to basket");
    await visitor.submit(await visitor.open("/checkout"), "Order", { address: "Lane 1" });
  }
  const mine = await omar.open("/orders");
  assert.match(mine.text, /\/orders\/2/);
  assert.ok(!mine.text.includes("/orders/1"));
  assert.equal((await omar.open("/orders/1")).status, 404);
  const own = await omar.open("/orders/2");
  assert.ok(!own.text.includes("Send it"));
  assert.match(own.text, /omar@example\.org/);
  const headers = { cookie: `session=${omar.cookies.get("session")}` };
  assert.equal((await call("POST", "/api/orders/2/send", { headers })).status, 403);
  // What only staff may do to an order, nobody does by making one that it was done to.
  const body = { address: "Lane 1", sent: true };
  assert.equal((await call("POST", "/api/orders", { headers, body })).status, 403);
  const service = new Visitor(url, { token });
  const sent = await service.submit(await service.open("/orders/2"), "Send it");
  assert.ok(!sent.text.includes("Send it</button>"));
});
