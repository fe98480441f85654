import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { basketIn, withQuantity } from "#src/basket.js";
import { exampleModel as model } from "#testing/example-model.js";
import { startApp, token } from "#testing/start-app.js";
import { Visitor } from "#testing/visitor.js";

async function customer(t, shop = model) {
  const app = await startApp(t, { model: shop });
  const visitor = new Visitor(app.url);
  const account = { email: "noor@example.org", password: randomUUID() };
  await visitor.submit(await visitor.open("/sign-up"), "Sign up", account);
  return { ...app, visitor };
}

test("what is in the basket is ordered: the order, its lines, and less in stock", async (t) => {
  const { call, visitor } = await customer(t);
  const basket = await visitor.submit(await visitor.open("/cups"), "Add to basket");
  assert.match(basket.text, /basket \(1\)/);
  const more = await visitor.submit(basket, "change", { quantity: 3 });
  assert.match(more.text, /<tfoot>.*12\.3/s);
  const wrong = await visitor.submit(await visitor.open("/checkout"), "Order", { address: "" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /aria-describedby="field-address-problem"/);
  const order = await visitor.submit(wrong, "Order", { address: "Lane 1", total: "0", quantity: "1", owner_id: "7" });
  assert.equal(order.path, "/orders/1");
  assert.match(order.text, /Blue cup/);
  const { json } = await call("GET", "/api/orders/1", { token });
  assert.deepEqual([json.total, json.address], [12.3, "Lane 1"]);
  const [line] = (await call("GET", "/api/order-lines", { token })).json.items;
  assert.deepEqual([line.cup_id, line.quantity, line.price, line.order_id], [1, 3, 4.1, 1]);
  assert.equal((await call("GET", "/api/cups/1")).json.stock, 0);
  assert.match((await visitor.open("/basket")).text, /basket empty/);
});

test("a buyer chooses neither what an order costs nor its state, and the shop sums up what it changes", async (t) => {
  const { call, visitor } = await customer(t);
  const headers = { cookie: `session=${visitor.cookies.get("session")}` };
  const order = (body) => call("POST", "/api/orders", { body: { address: "Lane 1", ...body }, headers });
  assert.deepEqual((await order({ total: 0.01 })).json.total, 0);
  const refused = await order({ status: "paid" });
  assert.deepEqual([refused.status, Object.keys(refused.json.error.fields)], [403, ["status"]]);
  assert.equal((await order({ status: "new" })).status, 201);
  const line = { order_id: 1, cup_id: 1, quantity: 2, price: 0.01 };
  const made = await call("POST", "/api/order-lines", { body: line, token });
  assert.equal(made.json.price, 4.1);
  const total = async () => (await call("GET", "/api/orders/1", { token })).json.total;
  assert.equal(await total(), 8.2);
  await call("PATCH", "/api/cups/1", { body: { price: 5 }, token });
  await call("PATCH", "/api/order-lines/1", { body: { quantity: 3, price: 0 }, token });
  assert.equal(await total(), 12.3);
  await call("PATCH", "/api/order-lines/1", { body: { order_id: 2 }, token });
  assert.equal(await total(), 0);
  assert.equal((await call("PATCH", "/api/orders/2", { body: { status: "paid", total: 1 }, token })).json.total, 12.3);
  const put = await call("PUT", "/api/orders/2", { body: { address: "Lane 2", total: 1 }, token });
  assert.deepEqual([put.json.total, put.json.status], [12.3, "paid"]);
  await call("DELETE", "/api/order-lines/1", { token });
  assert.equal((await call("GET", "/api/orders/2", { token })).json.total, 0);
});

test("who may not read orders is told that theirs was placed, and its number", async (t) => {
  const access = { read: ["admin"], create: ["anyone"], change: ["admin"], delete: ["admin"] };
  const resources = model.resources.map((one) => (one.name === "order" ? { ...one, access } : one));
  const { url, call } = await startApp(t, { model: { ...model, resources } });
  const visitor = new Visitor(url);
  await visitor.submit(await visitor.open("/cups"), "Add to basket");
  const placed = await visitor.submit(await visitor.open("/checkout"), "Order", { address: "Lane 1" });
  assert.deepEqual([placed.status, placed.path], [200, "/checkout?ordered=1"]);
  assert.match(placed.text, /<h1>ordered<\/h1>\s*<p role="status">order number/);
  assert.match(placed.text, /basket \(0\)/);
  assert.equal((await call("GET", "/api/orders/1", { token })).json.total, 4.1);
  assert.doesNotMatch((await visitor.open("/checkout?ordered=%3Cb%3E")).text, /role="status"/);
});

test("no more is ordered than there is, and then nothing at all is", async (t) => {
  const { call, visitor } = await customer(t);
  const basket = await visitor.submit(await visitor.open("/cups"), "Add to basket");
  await visitor.submit(basket, "change", { quantity: 4 });
  const refused = await visitor.submit(await visitor.open("/checkout"), "Order", { address: "Lane 1" });
  assert.equal(refused.status, 409);
  assert.match(refused.text, /role="alert"/);
  assert.equal((await call("GET", "/api/orders", { token })).json.total, 0);
  assert.equal((await call("GET", "/api/cups/1")).json.stock, 3);
});

test("what stands in a basket twice is taken from stock twice", async (t) => {
  const { call, visitor } = await customer(t);
  visitor.cookies.set("basket", "1-2.1-2");
  const refused = await visitor.submit(await visitor.open("/checkout"), "Order", { address: "Lane 1" });
  assert.equal(refused.status, 409);
  assert.equal((await call("GET", "/api/cups/1")).json.stock, 3);
});

test("nobody adds to the order of somebody else, or moves a line there", async (t) => {
  const mayAdd = { read: ["owner", "admin"], create: ["signed_in"], change: ["owner"], delete: ["admin"] };
  const resources = model.resources.map((one) => (one.name === "order_line" ? { ...one, access: mayAdd } : one));
  const { call, visitor } = await customer(t, { ...model, resources });
  const headers = { cookie: `session=${visitor.cookies.get("session")}` };
  const theirs = await call("POST", "/api/orders", { body: { address: "Lane 1" }, token });
  const own = await call("POST", "/api/orders", { body: { address: "Lane 2" }, headers });
  const line = { cup_id: 1, quantity: 1 };
  const add = (order_id) => call("POST", "/api/order-lines", { body: { ...line, order_id }, headers });
  const refused = await add(theirs.json.id);
  assert.deepEqual([refused.status, Object.keys(refused.json.error.fields)], [422, ["order_id"]]);
  assert.equal(refused.json.error.message.replace("1", "9"), (await add(9)).json.error.message);
  const made = await add(own.json.id);
  assert.equal(made.status, 201);
  const path = `/api/order-lines/${made.json.id}`;
  const change = (body) => call("PATCH", path, { body, headers });
  assert.equal((await change({ order_id: theirs.json.id })).status, 422);
  assert.equal((await change({ quantity: 2 })).status, 200);
  await call("PATCH", path, { body: { order_id: theirs.json.id }, token });
  assert.equal((await change({ quantity: 1 })).status, 422);
  assert.equal((await call("GET", `/api/orders/${theirs.json.id}`, { token })).json.total, 8.2);
});

test("a line is taken out; without any there is nothing to order; what is sold out cannot be put in", async (t) => {
  const { call, visitor } = await customer(t);
  const basket = await visitor.submit(await visitor.open("/cups"), "Add to basket");
  await visitor.submit(basket, "change", { quantity: 0 });
  assert.equal((await visitor.open("/checkout")).path, "/basket");
  await call("PATCH", "/api/cups/1", { body: { stock: 0 }, token });
  assert.match((await visitor.open("/cups")).text, /sold out/);
});

test("whoever is not logged in is asked to, and keeps the basket", async (t) => {
  const { url } = await startApp(t, { model });
  const visitor = new Visitor(url);
  await visitor.submit(await visitor.open("/cups"), "Add to basket");
  assert.equal((await visitor.open("/checkout")).path, "/login?next=%2Fcheckout");
  assert.match((await visitor.open("/basket")).text, /Blue cup/);
});

test("a basket that somebody made up holds nothing that is not there", async (t) => {
  const { call } = await startApp(t, { model });
  for (const cookie of ["basket=999-1", "basket=x-1", "basket=1-0", "basket=../1-1", `basket=${"1-999.".repeat(999)}`])
    assert.equal((await call("GET", "/basket", { headers: { cookie } })).status, 200);
  assert.deepEqual(basketIn({ cookie: "basket=1-2.x.2-0.3--1" }), [{ id: "1", quantity: 2 }]);
  assert.deepEqual(withQuantity([{ id: "1", quantity: 2 }], "1", 5000), [{ id: "1", quantity: 999 }]);
});
