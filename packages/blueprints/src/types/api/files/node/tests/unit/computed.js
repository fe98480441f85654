import assert from "node:assert/strict";
import { test } from "node:test";
import { computedOf, refuseUnseenSum, updateSums } from "#src/computed.js";

const sums = { of: "line", by: "order_id", quantity: "quantity", price: "price" };
const copies = { from: "cup_id", of: "cup", field: "price" };
const order = { name: "order", fields: { total: { type: "number", computed: { sums } } } };
const line = { name: "line", fields: { price: { type: "number", computed: { copies } } } };

function contextOf(records, resources = [order, line]) {
  const collection = (name) => ({
    get: (id) => records[name].find((one) => String(one.id) === String(id)),
    all: () => records[name],
    replace: (record) => {
      records[name] = records[name].map((one) => (one.id === record.id ? record : one));
    },
  });
  return { model: { resources }, store: { collection }, resource: line };
}

test("a value is copied when a record comes to lead somewhere, and stays then", () => {
  const context = contextOf({ cup: [{ id: 1, price: 4 }, { id: 2 }] });
  assert.deepEqual(computedOf(context, { cup_id: 1 }, undefined), { price: 4 });
  assert.deepEqual(computedOf(context, { cup_id: 1 }, { cup_id: "1", price: 3 }), { price: 3 });
  assert.deepEqual(computedOf(context, { cup_id: 2 }, { cup_id: 1, price: 3 }), { price: null });
});

test("a sum begins with nothing, and is worked out from what refers to it", () => {
  const records = { order: [{ id: 1, total: 0 }], line: [] };
  const context = contextOf(records);
  assert.deepEqual(computedOf({ ...context, resource: order }, {}, undefined), { total: 0 });
  assert.deepEqual(computedOf({ ...context, resource: order }, {}, { total: 7 }), { total: 7 });
  records.line.push({ id: 1, order_id: 1, price: 0.1, quantity: 3 }, { id: 2, order_id: 1, quantity: 1 });
  updateSums(context, records.line[0]);
  assert.equal(records.order[0].total, 0.3);
  updateSums(context, { order_id: 9 });
});

test("the price may be that of what is led to", () => {
  const via = { from: "cup_id", of: "cup" };
  const whole = { name: "order", fields: { total: { computed: { sums: { ...sums, via } } } } };
  const records = {
    cup: [{ id: 1, price: 4 }],
    order: [{ id: 1, total: 0 }],
    line: [{ id: 1, order_id: 1, cup_id: 1, quantity: 2 }],
  };
  updateSums(contextOf(records, [whole, line]), records.line[0]);
  assert.equal(records.order[0].total, 8);
});

test("a record counts only in a sum that its sender may see", () => {
  const access = { read: ["owner", "admin"] };
  const whole = { ...order, title: "order", owner: "owner_id", access };
  const context = contextOf({ order: [{ id: 1, owner_id: 7 }] }, [whole, line]);
  refuseUnseenSum(context, { account: { id: 7 } }, { order_id: 1 });
  refuseUnseenSum(context, { isService: true }, { order_id: 1 });
  refuseUnseenSum(context, undefined, { order_id: null });
  for (const actor of [undefined, { account: { id: 8 } }])
    assert.throws(() => refuseUnseenSum(context, actor, { order_id: 1 }), { status: 422, message: /there is no 1\./ });
});
