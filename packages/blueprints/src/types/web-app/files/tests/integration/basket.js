import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { basketIn, withQuantity } from "#src/basket.js";
import { exampleModel as model } from "#testing/example-model.js";
import { startApp, token } from "#testing/start-app.js";
import { Visitor } from "#testing/visitor.js";

async function customer(t) {
  const app = await startApp(t, { model });
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
