import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, dayOf, isDay, resolve } from "#app/dates.js";
import { blank, check, select, withDerived } from "#app/records.js";
import { sampleModel } from "#app/sample-model.js";
import { openStore } from "#app/store.js";

const [entity] = sampleModel.entities;
const today = "2026-03-01";

/** A browser's storage, as far as the app uses it. */
function memory() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
}

test("days can be counted over the ends of months", () => {
  assert.equal(addDays("2026-02-27", 3), "2026-03-02");
  assert.equal(dayOf(new Date(2026, 0, 5)), "2026-01-05");
  assert.deepEqual([isDay("2026-02-28"), isDay("2026-02-30"), isDay("soon")], [true, false, false]);
  assert.deepEqual(
    ["today", "tomorrow", "yesterday", { days_ago: 4 }, { days_from_now: 1 }, "x", null].map((value) => resolve(value, today)),
    [today, "2026-03-02", "2026-02-28", "2026-02-25", "2026-03-02", "x", null],
  );
});

test("a new record has its defaults", () => {
  const record = blank(entity, today);
  assert.deepEqual([record.place, record.every, record.last, record.name], ["home", 2, today, null]);
});

test("what is entered is read by the kind of its field", () => {
  const { record, errors } = check(entity, { name: " Dust ", every: "3", weight: "1.5", done: "on", notes: "" }, { last: today });
  assert.deepEqual(errors, {});
  assert.deepEqual(record, { name: "Dust", every: 3, weight: 1.5, done: true, notes: null, last: today });
});

test("what is wrong is told field by field", () => {
  const wrong = { name: "", place: "moon", every: "0", weight: "heavy", last: "never", notes: "x".repeat(21) };
  const { errors } = check(entity, wrong, {});
  assert.deepEqual(Object.keys(errors), ["name", "place", "every", "weight", "last", "notes"]);
  assert.match(check(entity, { every: "1.5" }, {}).errors.every, /whole number/);
  assert.match(check(entity, { every: "10" }, {}).errors.every, /at most 9/);
});

test("what follows from a record follows the day", () => {
  const record = { ...blank(entity, today), last: "2026-02-26" };
  assert.deepEqual([withDerived(entity, record, today).next, withDerived(entity, record, today).due], ["2026-02-28", true]);
  assert.equal(withDerived(entity, record, "2026-02-27").due, false);
  assert.equal(withDerived(entity, { ...record, later: "2026-03-02" }, today).due, false);
  assert.equal(withDerived(entity, { ...record, last: null }, today).next, null);
  const condition = (more) => ({ field: "every", atMost: null, atLeast: null, equals: null, orEmpty: false, ...more });
  const derived = [{ name: "often", conditions: [condition({ atLeast: 2 }), condition({ equals: 2 })] }];
  assert.equal(withDerived({ ...entity, derived }, record, today).often, true);
});

test("records are listed by condition and in order", () => {
  const records = [
    { id: 1, name: "b", every: 9 },
    { id: 2, name: "a", every: 10 },
    { id: 3, name: "a", every: 1 },
  ];
  const plain = { ...entity, derived: [] };
  const ids = (screen) => select(plain, records, { where: {}, orderBy: null, ...screen }, today).map(({ id }) => id);
  assert.deepEqual(ids({ orderBy: "name" }), [2, 3, 1]);
  assert.deepEqual(ids({ orderBy: "every" }), [3, 1, 2]);
  assert.deepEqual(ids({ where: { name: "a" } }), [2, 3]);
  assert.deepEqual(ids({ orderBy: "missing" }), [1, 2, 3]);
});

test("records are there again when the app is opened again", () => {
  const storage = memory();
  const store = openStore(sampleModel, storage, today);
  assert.deepEqual(store.all("task").map(({ name, last }) => [name, last]), [["Sweep", "2026-02-26"], ["Cook", "2026-02-28"]]);
  const { id } = store.put("task", { name: "Dust" });
  store.put("task", { ...store.find("task", id), name: "Dust!" });
  store.remove("task", 1);
  const again = openStore(sampleModel, storage, today);
  assert.deepEqual(again.all("task").map(({ name }) => name), ["Cook", "Dust!"]);
  assert.deepEqual(again.all("nothing"), []);
});

test("an app without storage, or with something else in it, still works", () => {
  const forbidden = { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); } };
  const store = openStore(sampleModel, forbidden, today);
  store.put("task", { name: "Dust" });
  assert.equal(store.all("task").length, 3);
  assert.equal(openStore(sampleModel, { getItem: () => "[1]", setItem: () => {} }, today).all("task").length, 2);
});
