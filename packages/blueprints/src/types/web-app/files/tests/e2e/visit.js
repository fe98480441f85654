import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { mayByRole } from "#src/access.js";
import { filled } from "#src/show-value.js";
import { say } from "#src/texts.js";
import { unlabelledControls } from "#testing/labels.js";
import { makeRecord, makeSurroundings, reasonAgainst } from "#testing/make-record.js";
import { ownModel as model, startApp, token } from "#testing/start-app.js";
import { Visitor } from "#testing/visitor.js";

const { site } = model;
const { accounts } = model.auth;
const resourceOf = (name) => model.resources.find((resource) => resource.name === name);
const asks = (resource, operation) => !resource.access[operation].includes("anyone");

/** What a person would write into the fields of a form. */
function written(names, values) {
  const pairs = names.map((name) => [name, values[name]]);
  return Object.fromEntries(
    pairs
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, valueFor(resourceFieldText(value))]),
  );
}

const resourceFieldText = (value) => (Array.isArray(value) ? value.join(", ") : value);
const valueFor = (value) => (value === false ? undefined : typeof value === "object" ? JSON.stringify(value) : value);

for (const page of model.pages.filter(({ kind }) => kind === "form")) {
  const resource = resourceOf(page.resource);
  const skip = reasonAgainst(resource) ?? missingIn(page, resource);
  test(`${page.path}: the form is filled in and sent, and what was sent can be seen`, { skip }, async (t) => {
    const { call, url } = await startApp(t);
    const visitor = new Visitor(url, { token });
    const { ids, values } = await makeSurroundings(call, resource);
    const shown = await visitor.open(filled(page.path, ids));
    assert.equal(shown.status, 200, shown.text);
    assert.deepEqual(unlabelledControls(shown.text), []);
    const before = resource.seed.length;
    const sent = await visitor.submit(shown, page.submit ?? say(site, "save"), written(page.fields, values));
    assert.equal(sent.status, 200, sent.text);
    const place = resource.path.replace(/\{(\w+)\}/g, (_, name) => ids[name]);
    const { json } = await call("GET", `${place}?limit=1000`, { token });
    assert.ok(json.total >= (resource.parent === undefined ? before : 0) + 1, "nothing was added");
  });
}

/** A form that does not ask for what is required cannot be sent as it is. */
function missingIn({ fields }, resource) {
  const needed = Object.keys(resource.fields).filter((name) => {
    const { required, default: fallback, is_owner: isOwner, computed } = resource.fields[name];
    return required && fallback === undefined && !isOwner && computed === undefined;
  });
  const missing = needed.filter((name) => !fields.includes(name));
  return missing.length > 0 ? `the form does not ask for ${missing.join(", ")}` : undefined;
}

for (const page of model.pages.filter(({ kind }) => ["detail", "edit", "delete"].includes(kind))) {
  const resource = resourceOf(page.resource);
  const skip = reasonAgainst(resource);
  test(`${page.path}: the page of a record is there, and of none it is not`, { skip }, async (t) => {
    const { call, url } = await startApp(t);
    const visitor = new Visitor(url, { token });
    const { parameters } = await makeRecord(call, resource, 7);
    const { status, text } = await visitor.open(filled(page.path, parameters));
    assert.equal(status, 200, text);
    assert.deepEqual(unlabelledControls(text), []);
    assert.equal((await visitor.open(filled(page.path, { ...parameters, id: 999_999 }))).status, 404);
  });
}

test("every page that can be opened at once is there, with a label on every control", async (t) => {
  const { url, call } = await startApp(t);
  const visitor = new Visitor(url, { token });
  for (const { path } of model.pages.filter((page) => !page.path.includes("{"))) {
    const { status, text } = await visitor.open(path);
    assert.equal(status, 200, path);
    assert.deepEqual(unlabelledControls(text), []);
    assert.equal(text.match(/<h1>/g).length, 1);
    assert.ok(text.includes(`<html lang="${site.language}">`));
  }
  if (site.has_manifest) assert.equal(JSON.parse((await call("GET", "/manifest.webmanifest")).text).name, site.title);
  if (site.has_service_worker) assert.equal((await call("GET", "/service-worker.js")).status, 200);
});

const closed = model.pages.filter(({ access, path }) => access !== undefined && !path.includes("{"));

for (const { path, access } of closed)
  test(`${path} is for ${access.join(" and ") || "nobody"}, and for nobody else`, async (t) => {
    const { url, call } = await startApp(t);
    assert.equal((await call("GET", path)).status, 401);
    assert.ok((await new Visitor(url).open(path)).path.startsWith(site.accounts?.login ?? path));
    for (const role of accounts?.roles ?? []) {
      const { status } = await (await loggedIn(t, { url, call }, role)).open(path);
      // What the page shows may be closed to those who may open the page itself.
      if (!mayByRole(access, { role })) assert.equal(status, 403, role);
      else assert.ok([200, 403].includes(status), role);
    }
  });

/** Somebody with an account of this role. */
async function loggedIn(t, { url, call }, role) {
  const resource = resourceOf(accounts.resource);
  const reason = reasonAgainst(resource);
  if (reason !== undefined) return t.skip(reason);
  const chosen = randomUUID();
  const number = 100 + accounts.roles.indexOf(role);
  const more = { [accounts.password_field]: chosen, [accounts.role_field]: role };
  const { record } = await makeRecord(call, resource, number, more);
  const visitor = new Visitor(url);
  const values = { [accounts.name_field]: record[accounts.name_field], [accounts.password_field]: chosen };
  await visitor.submit(await visitor.open(site.accounts.login), say(site, "log_in"), values);
  assert.ok(visitor.cookies.has("session"), role);
  return visitor;
}

for (const page of model.pages.filter(({ kind }) => kind === "sign_up")) {
  const resource = resourceOf(accounts.resource);
  const skip = reasonAgainst(resource) ?? missingIn(page, resource);
  test(`${page.path}: somebody signs up and out, with the role that everybody gets`, { skip }, async (t) => {
    const { url, call } = await startApp(t);
    const visitor = new Visitor(url);
    const { values } = await makeSurroundings(call, resource, 8);
    const sent = { ...written(page.fields, values), [accounts.role_field ?? "role"]: accounts.roles.at(-1) };
    const page2 = await visitor.submit(await visitor.open(page.path), page.submit, sent);
    assert.ok(visitor.cookies.has("session"), page2.text);
    const headers = { cookie: `session=${visitor.cookies.get("session")}` };
    const { json } = await call("GET", accounts.me, { headers });
    if (accounts.role_field !== undefined) assert.equal(json[accounts.role_field] ?? undefined, accounts.default_role);
    await visitor.submit(page2, say(site, "log_out"));
    assert.equal((await call("GET", accounts.me, { headers })).status, 401);
  });
}

for (const page of model.pages.filter(({ kind }) => kind === "checkout")) {
  const { of, order, stock, price, items, total, item_order: itemOrder, item_price: itemPrice } = site.basket;
  const goods = resourceOf(of);
  const skip =
    reasonAgainst(goods) ?? reasonAgainst(withoutSums(resourceOf(order))) ?? missingIn(page, resourceOf(order));
  test(`${page.path}: what is in the basket is ordered, and costs what the shop says`, { skip }, async (t) => {
    const { url, call } = await startApp(t);
    const { record } = await makeRecord(call, goods, 9, { [price]: 2.5, ...(stock && { [stock]: 5 }) });
    const visitor = new Visitor(url, { token });
    const form = new URLSearchParams({ add: record.id, price: "0" });
    const basket = await visitor.open(site.basket.path, { method: "POST", form });
    await visitor.submit(basket, say(site, "change"), { quantity: 2 });
    const { values } = await makeSurroundings(call, resourceOf(order), 9);
    const sent = await visitor.submit(await visitor.open(page.path), page.submit, written(page.fields, values));
    assert.equal(sent.status, 200, sent.text);
    const orders = (await call("GET", `${resourceOf(order).path}?sort=-id&limit=1`, { token })).json;
    const [made] = orders[resourceOf(order).list_key];
    if (total !== undefined) assert.equal(made[total], 5);
    if (stock !== undefined) {
      const left = goods.path;
      assert.equal((await call("GET", `${left}/${record.id}`, { token })).json[stock], 3);
    }
    assert.ok(items !== undefined && !visitor.cookies.has("basket"));
  });

  const [orders, lines] = [resourceOf(order), resourceOf(items)];
  const against = skip ?? reasonAgainst(orders) ?? reasonAgainst(lines);
  test(`${orders.path}: a price or a sum that is sent is not taken`, { skip: against }, async (t) => {
    const { call } = await startApp(t);
    const free = total === undefined ? {} : { [total]: 0.01 };
    const lowered = itemPrice === undefined ? {} : { [itemPrice]: 0.01 };
    const { record: line } = await makeRecord(call, lines, 11, lowered);
    const of11 = await call("GET", `${goods.path}/${line[site.basket.item_record]}`, { token });
    if (itemPrice !== undefined) assert.equal(line[itemPrice], of11.json[price]);
    const place = `${orders.path}/${line[itemOrder]}`;
    const { status, json, text } = await call("PATCH", place, { body: free, token });
    assert.equal(status, 200, text);
    if (total !== undefined) assert.equal(json[total], Math.round(of11.json[price] * line.quantity * 100) / 100);
    const { record: bare } = await makeRecord(call, orders, 12, free);
    if (total !== undefined) assert.equal(bare[total], 0);
    const { json: described } = await call("GET", model.system.openapi, { token });
    if (total !== undefined) assert.equal(described.components.schemas[order].properties[total].readOnly, true);
  });
}

/** From the basket an order keeps to the rules about what it costs; without lines it may not. */
function withoutSums(resource) {
  return { ...resource, rules: resource.rules.filter(({ fields }) => !fields.includes(site.basket.total)) };
}

test("what nobody may add without an account has no form without one", async (t) => {
  const { url } = await startApp(t);
  for (const page of model.pages.filter(({ kind, path }) => kind === "form" && !path.includes("{"))) {
    if (!asks(resourceOf(page.resource), "create")) continue;
    const { path, status } = await new Visitor(url).open(page.path);
    assert.ok(status === 401 || path.startsWith(site.accounts?.login ?? " "), page.path);
  }
});

test("all that the start page refers to is there, as what it says it is", async (t) => {
  const { url } = await startApp(t);
  const { text } = await new Visitor(url, { token }).open("/");
  const kinds = { css: /^text\/css/, js: /^text\/javascript/, svg: /^image\/svg/, png: /^image\/png/ };
  const places = [...text.matchAll(/<(?:link|script|img)\b[^>]* (?:href|src)="(\/[^"]*)"/g)].map(([, place]) => place);
  assert.ok(places.length > 0);
  for (const place of places) {
    const { status, headers } = await new Visitor(url, { token }).open(place);
    assert.equal(status, 200, place);
    const kind = kinds[place.slice(place.lastIndexOf(".") + 1)];
    if (kind !== undefined) assert.match(headers.get("content-type"), kind, place);
  }
});
