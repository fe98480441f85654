import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluate, isBroken, isTrue } from "#src/expressions.js";

const field = (name, via) => ({ field: name, ...(via && { via }) });
const value = (one) => ({ value: one });
const op = (sign, left, right) => ({ op: sign, left, right });
const room = { seats: 8 };
const record = {
  guests: 9,
  day: "2030-05-04",
  from: "2030-05-04T10:00:00Z",
  to: "2030-05-04T12:30:00+02:00",
  note: null,
};
const of = (expression) => evaluate(expression, record, () => room, new Date("2030-05-01T00:00:00Z"));

test("values are compared, days and moments as points in time", () => {
  assert.equal(of(op("<=", field("guests"), field("seats", "room_id"))), false);
  assert.equal(of(op(">", field("to"), field("from"))), true);
  assert.equal(of(op("==", field("day"), value("2030-05-04"))), true);
  assert.equal(of(op(">=", field("day"), { clock: "today" })), true);
  assert.equal(of(op("<", { clock: "now" }, field("from"))), true);
});

test("numbers are calculated, days are days apart and moments hours", () => {
  assert.equal(of(op("+", op("*", field("guests"), value(2)), value(1))), 19);
  assert.equal(of(op("/", value(1), value(0))), undefined);
  assert.equal(of(op("-", field("day"), value("2030-05-01"))), 3);
  assert.equal(of(op("-", field("to"), field("from"))), 0.5);
  assert.equal(of(op("-", field("note"), value(1))), undefined);
});

test("what is empty breaks no rule and is no reason, but can be asked for", () => {
  const unknown = op(">", field("note"), value(1));
  assert.equal(
    isBroken(unknown, record, () => room),
    false,
  );
  assert.equal(
    isTrue(unknown, record, () => room),
    false,
  );
  assert.equal(of(op("==", field("note"), value(null))), true);
  assert.equal(of({ op: "not", right: unknown }), undefined);
});

test("conditions are joined, also where one of them is unknown", () => {
  const unknown = op(">", field("note"), value(1));
  assert.equal(of(op("or", value(true), unknown)), true);
  assert.equal(of(op("and", value(false), unknown)), false);
  assert.equal(of(op("and", value(true), unknown)), undefined);
  assert.equal(of(op("and", value(true), { op: "not", right: value(false) })), true);
});
