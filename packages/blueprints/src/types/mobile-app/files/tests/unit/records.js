import assert from "node:assert/strict";
import { test } from "node:test";
import { withComputed } from "#app/records/compute.js";
import { addDays, dayOf, isDay, resolve } from "#app/records/dates.js";
import { blank, problemsWith, readTexts } from "#app/records/fields.js";
import { sampleModel } from "#app/sample-model.js";
import { select } from "#app/select.js";
import { openStore } from "#app/store.js";

const [task, , tool] = sampleModel.entities;
const today = "2026-03-01";
const around = (records = {}, day = today) => ({ model: sampleModel, today: day, all: (name) => records[name] ?? [] });

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

test("a new record has its defaults, and what is entered is read by the kind of its field", () => {
  const record = blank(task, today);
  assert.deepEqual([record.place, record.every, record.last, record.name], ["home", 2, today, null]);
  const fields = task.fields.filter(({ name }) => ["name", "every", "weight", "done", "notes"].includes(name));
  assert.deepEqual(readTexts(fields, { name: " Dust ", every: "3", weight: "1.5", done: "on", notes: "" }), { name: "Dust", every: 3, weight: 1.5, done: true, notes: null });
});

test("what is wrong is told field by field", () => {
  const wrong = { name: "", place: "moon", every: 0, weight: Number.NaN, last: "never", notes: "x".repeat(21) };
  assert.deepEqual(Object.keys(problemsWith(task, wrong, around())), ["name", "place", "every", "weight", "last", "notes"]);
  assert.match(problemsWith(task, { name: "x", every: 1.5 }, around()).every, /whole number/);
  assert.match(problemsWith(task, { name: "x", every: 10 }, around()).every, /at most 9/);
  assert.match(problemsWith(tool, { name: "x", for_id: 7 }, around()).for_id, /that is there/);
});

test("what follows from a record follows the day", () => {
  const record = { id: 1, ...blank(task, today), last: "2026-02-26" };
  const computed = (more, day = today) => withComputed(task, { ...record, ...more }, around({ check: [{ id: 1, task_id: 1, day: "2026-02-28" }, { id: 2, task_id: 1, day: "2026-02-27" }] }, day));
  assert.deepEqual([computed().next, computed().due, computed().streak], ["2026-02-28", true, 2]);
  assert.equal(computed({}, "2026-02-27").due, false);
  assert.equal(computed({}, "2026-03-02").streak, 0);
  assert.equal(computed({ later: "2026-03-02" }).due, false);
  assert.equal(computed({ last: null }).next, null);
});

test("formulas count, compare and join, and have no answer where there is none", () => {
  const checks = ["2026-03-01", "2026-02-28", "2026-02-26"].map((day, index) => ({ id: index, task_id: 1, day, note: index }));
  const value = (formula) => withComputed({ ...task, computed: [{ name: "x", label: "x", formula }] }, { id: 1, every: 4 }, around({ check: checks })).x;
  const [six, four] = [["value", 6], ["field", "every"]];
  assert.deepEqual(["+", "-", "*", "/", "%"].map((sign) => value([sign, six, four])), [10, 2, 24, 1.5, 2]);
  assert.deepEqual(["=", "!=", "<", "<=", ">", ">="].map((sign) => value([sign, six, four])), [false, true, false, false, true, true]);
  assert.deepEqual([value(["/", six, ["value", 0]]), value(["+", six, ["field", "weight"]])], [null, null]);
  assert.deepEqual([value(["round", ["value", 2.5]]), value(["if", ["not", ["value", false]], six, four])], [3, 6]);
  assert.deepEqual([value(["-", ["today"], ["value", 1]]), value(["-", ["today"], ["value", "2026-02-27"]])], ["2026-02-28", 2]);
  const over = (name, field, where = null) => value([name, "check", "task_id", field, where]);
  assert.deepEqual([over("count", null), over("max", "day"), over("min", "note"), over("sum", "note"), over("average", "note")], [3, today, 0, 3, 1]);
  assert.equal(over("count", null, ["=", ["field", "day"], ["today"]]), 1);
  const referring = { ...tool, computed: [{ name: "x", label: "x", formula: ["of", "for_id", "name"] }] };
  assert.equal(withComputed(referring, { for_id: 1 }, around({ task: [{ id: 1, name: "Sweep" }] })).x, "Sweep");
  assert.equal(withComputed(referring, { for_id: 9 }, around()).x, null);
});

test("formulas work with numbers, texts and days", () => {
  const value = (operation, ...values) =>
    withComputed({ ...task, computed: [{ name: "x", formula: [operation, ...values.map((one) => ["value", one])] }] }, { id: 1 }, around()).x;
  const numbers = [value("%", -1, 7), value("power", 2, 5), value("abs", -3), value("ceil", 1.2), value("floor", -1.2), value("smaller", 4, 6), value("larger", 4, 6)];
  assert.deepEqual(numbers, [6, 32, 3, 2, -2, 4, 6]);
  const texts = [value("length", "Zoë"), value("lower", "Ab"), value("upper", "Ab"), value("trim", " a "), value("+", "a", "b")];
  assert.deepEqual(texts, [3, "ab", "AB", "a", "ab"]);
  const found = ["contains", "starts_with", "ends_with"].map((operation) => value(operation, "harbour", "our"));
  assert.deepEqual([...found, value("not", true)], [true, false, true, false]);
  const days = [value("year", "2026-03-01"), value("month", "2026-03-01"), value("weekday", "2026-03-01"), value("add_days", "2026-02-28", 1), value("days_between", "2026-02-27", "2026-03-01")];
  assert.deepEqual(days, [2026, 3, 7, "2026-03-01", 2]);
});

test("records are listed by condition and in order", () => {
  const task_ = { ...task, computed: [] };
  const records = { task: [{ id: 1, name: "b", every: 9 }, { id: 2, name: "a", every: 10 }, { id: 3, name: "a", every: 1 }, { id: 4, name: null }] };
  const ids = (screen) => select(task_, screen, around(records)).map(({ id }) => id);
  assert.deepEqual(ids({ orderBy: "name" }), [2, 3, 1, 4]);
  assert.deepEqual(ids({ orderBy: "every" }), [3, 1, 2, 4]);
  assert.deepEqual(ids({ orderBy: "-every" }), [4, 2, 1, 3]);
  assert.deepEqual(ids({ where: ["=", ["field", "name"], ["value", "a"]] }), [2, 3]);
  assert.deepEqual(ids({}), [1, 2, 3, 4]);
});

test("records are there again when the app is opened again", () => {
  const storage = memory();
  const store = openStore(sampleModel, storage, today);
  assert.deepEqual(store.all("task").map(({ name, last }) => [name, last]), [["Sweep", "2026-02-26"], ["Cook", "2026-02-28"]]);
  assert.equal(store.put("task", { name: "Dust" }), undefined);
  store.put("task", { ...store.all("task").at(-1), name: "Dust!" });
  assert.equal(store.remove("task", 1), undefined);
  const again = openStore(sampleModel, storage, today);
  assert.deepEqual(again.all("task").map(({ name }) => name), ["Cook", "Dust!"]);
  assert.deepEqual(again.all("nothing"), []);
});

test("references to what is deleted become empty where the model says so", () => {
  const entities = sampleModel.entities.map((entity) => ({ ...entity, fields: entity.fields.map((field) => (field.name === "for_id" ? { ...field, onDelete: "set_null" } : field)) }));
  const store = openStore({ ...sampleModel, entities }, memory(), today);
  assert.equal(store.remove("task", 2), undefined);
  assert.equal(store.find("tool", 1).for_id, null);
  assert.deepEqual(store.all("check"), []);
});

test("a new version of the app keeps what an older one stored, and an older one finds it again", () => {
  const storage = memory();
  const field = (name, more = {}) => ({ name, type: "string", label: name, ...more });
  const plain = (name, fields, more = {}) => ({ id: "x", entities: [{ name, fields, computed: [], rules: [], seed: [], ...more }] });
  const older = plain("note", [field("title"), field("gone")]);
  const newer = plain("memo", [field("heading", { was: "title" }), field("mood", { initial: "calm" })], { was: "note" });
  openStore(older, storage, today).put("note", { title: "Tea", gone: "kept" });
  const store = openStore(newer, storage, today);
  assert.deepEqual([store.find("memo", 1).heading, store.find("memo", 1).mood], ["Tea", "calm"]);
  store.put("memo", { ...store.find("memo", 1), mood: "glad" });
  assert.equal(openStore(newer, storage, today).find("memo", 1).mood, "glad");
  assert.deepEqual(openStore(older, storage, today).all("note"), [{ id: 1, title: "Tea", gone: "kept" }]);
});

test("an app without storage, or with something else in it, still works, and tells", () => {
  let lost = 0;
  const forbidden = { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); } };
  const store = openStore(sampleModel, forbidden, today, () => { lost += 1; });
  store.put("task", { name: "Dust" });
  assert.equal(store.all("task").length, 3);
  assert.equal(lost, 1);
  assert.equal(openStore(sampleModel, { getItem: () => "[1]", setItem: () => {} }, today).all("task").length, 2);
});

test("a rule over what belongs to a record holds for whatever changes that", () => {
  const rules = [{ field: "every", message: "must be at least as many as its tools", check: ["<=", ["count", "tool", "for_id", null, null], ["field", "every"]] }];
  const entities = sampleModel.entities.map((entity) => (entity.name === "task" ? { ...entity, rules } : entity));
  const store = openStore({ ...sampleModel, entities }, memory(), today);
  for (const name of ["Broom", "Mop"]) assert.equal(store.put("tool", { name, for_id: 1 }), undefined);
  const refusal = "The task Sweep would break a rule: every must be at least as many as its tools.";
  assert.equal(store.put("tool", { name: "Rag", for_id: 1 }), refusal);
  assert.equal(store.put("tool", { ...store.find("tool", 1), for_id: 1 }), refusal);
  assert.equal(store.find("tool", 1).for_id, 2);
  assert.equal(store.put("tool", { ...store.all("tool").at(-1), name: "Rag" }), undefined);
});
