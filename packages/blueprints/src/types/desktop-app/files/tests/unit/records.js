import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { guarded, readCsv, unguarded, writeCsv } from "#src/csv.js";
import { exportRecords } from "#src/export.js";
import { find } from "#src/find.js";
import { helpText, readOptions } from "#src/options.js";
import { holds, withComputed } from "#src/records/compute.js";
import { addDays, daysBetween, isDay, resolve } from "#src/records/dates.js";
import { blank, problemsWith, readTexts, removalOf } from "#src/records/fields.js";
import { sampleModel } from "#src/sample-model.js";
import { openStore } from "#src/store.js";
import { windowCommand } from "#src/window.js";

const today = "2026-03-01";
const entityOf = (name) => sampleModel.entities.find((entity) => entity.name === name);
const card = entityOf("card");
const around = (records = {}) => ({ model: sampleModel, today, all: (name) => records[name] ?? [] });

/** A store in a folder of its own, until the test is over. */
function temporary(context) {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return { folder, open: (model = sampleModel) => openStore(folder, model, () => today) };
}

test("days can be counted over the ends of months", () => {
  assert.equal(addDays("2026-02-27", 3), "2026-03-02");
  assert.equal(daysBetween("2026-02-27", "2026-03-02"), 3);
  assert.deepEqual([isDay("2026-02-28"), isDay("2026-02-30"), isDay("soon")], [true, false, false]);
  const words = ["today", "tomorrow", "yesterday", { days_ago: 4 }, { days_from_now: 1 }, "x", null];
  assert.deepEqual(words.map((word) => resolve(word, today)), [today, "2026-03-02", "2026-02-28", "2026-02-25", "2026-03-02", "x", null]);
});

test("what is right is taken, and what is wrong is told field by field", () => {
  const right = { ...blank(card, today), title: "One", count: 3, day: today, mail: "a@example.org", code: "AB" };
  assert.deepEqual(problemsWith(card, right, around()), {});
  const wrong = { ...right, title: " ", count: 1.5, weight: "heavy", kind: "c", day: "soon", done: "yes", text: 5, mail: "nobody", code: "a1" };
  assert.deepEqual(Object.keys(problemsWith(card, wrong, around())).sort(), ["code", "count", "day", "done", "kind", "mail", "text", "title", "weight"]);
  const problem = (name, value) => problemsWith(card, { ...right, [name]: value }, around())[name];
  assert.match(problem("title", null), /required/);
  assert.match(problem("title", "x".repeat(21)), /at most 20 characters/);
  assert.match(problem("count", 0), /at least 1/);
  assert.match(problem("count", 10), /at most 9/);
  assert.match(problem("day", "2019-12-31"), /at least 2020-01-01/);
  assert.match(problem("code", "A"), /at least 2 characters/);
  assert.match(problem("weight", Number.NaN), /must be a number/);
});

test("a value is taken once, a reference leads somewhere, and rules hold between fields and records", () => {
  const taken = around({ card: [{ id: 7, code: "AB" }] });
  assert.match(problemsWith(card, { title: "x", code: "AB" }, taken).code, /taken/);
  assert.deepEqual(problemsWith(card, { id: 7, title: "x", code: "AB" }, taken), {});
  const invoice = entityOf("invoice");
  const there = around({ customer: [{ id: 1, name: "Ada" }], invoice: [{ id: 5, number: "A", customer_id: 1 }] });
  assert.match(problemsWith(invoice, { number: "B", customer_id: 9 }, there).customer_id, /that is there/);
  assert.match(problemsWith(invoice, { number: "B", customer_id: 1, issued: today, due: "2026-02-01" }, there).due, /before issued/);
  assert.match(problemsWith(invoice, { number: "A", customer_id: 1 }, there).number, /already/);
  assert.deepEqual(problemsWith(invoice, { number: "B", customer_id: 1, issued: today, due: today }, there), {});
});

test("what is computed follows from the record, what it refers to, and what refers to it", () => {
  const lines = [{ id: 1, invoice_id: 1, quantity: 3, price: 1.15 }, { id: 2, invoice_id: 1, quantity: 1, price: 0.1 }, { id: 3, invoice_id: 2, quantity: 9, price: 9 }];
  const all = around({ line: lines, customer: [{ id: 1, name: "Ada" }] });
  const { total, payer } = withComputed(entityOf("invoice"), { id: 1, customer_id: 1 }, all);
  assert.deepEqual([total, payer], [3.55, "Ada"]);
  assert.equal(withComputed(entityOf("invoice"), { id: 1, customer_id: 8 }, all).payer, null);
});

test("formulas count, compare and join, and have no answer where there is none", () => {
  const value = (formula, record = { id: 1 }, records = {}) =>
    withComputed({ ...entityOf("invoice"), computed: [{ name: "x", formula }] }, record, around(records)).x;
  const [six, four] = [["value", 6], ["value", 4]];
  assert.deepEqual(["+", "-", "*", "/", "%"].map((sign) => value([sign, six, four])), [10, 2, 24, 1.5, 2]);
  assert.deepEqual(["=", "!=", "<", "<=", ">", ">="].map((sign) => value([sign, six, four])), [false, true, false, false, true, true]);
  assert.equal(value(["/", six, ["value", 0]]), null);
  assert.equal(value(["+", six, ["field", "due"]]), null);
  assert.equal(value(["round", ["value", 1.005], ["value", 2]]), 1.01);
  assert.deepEqual([value(["+", ["today"], ["value", 2]]), value(["-", ["today"], ["value", 1]]), value(["-", ["today"], ["value", "2026-02-27"]])], ["2026-03-03", "2026-02-28", 2]);
  assert.equal(value(["if", ["and", ["value", true], ["or", ["value", false], ["value", true]]], six, four]), 6);
  const days = ["2026-03-01", "2026-02-28", "2026-02-26"].map((what, index) => ({ id: index, invoice_id: 1, what, quantity: index }));
  const over = (name, field, where = null) => value([name, "line", "invoice_id", field, where], { id: 1 }, { line: days });
  assert.deepEqual([over("streak", "what"), over("count", null), over("max", "what"), over("min", "quantity"), over("average", "quantity")], [2, 3, today, 0, 1]);
  assert.equal(over("sum", "quantity", [">", ["field", "quantity"], ["value", 1]]), 2);
  assert.equal(holds(["empty", ["field", "due"]], entityOf("invoice"), {}, around()), true);
});

test("formulas work with numbers, texts and days", () => {
  const value = (operation, ...values) =>
    withComputed({ ...entityOf("invoice"), computed: [{ name: "x", formula: [operation, ...values.map((one) => ["value", one])] }] }, { id: 1 }, around()).x;
  const numbers = [value("%", -1, 7), value("power", 2, 5), value("abs", -3), value("ceil", 1.2), value("floor", -1.2), value("smaller", 4, 6), value("larger", 4, 6)];
  assert.deepEqual(numbers, [6, 32, 3, 2, -2, 4, 6]);
  const texts = [value("length", "Zoë"), value("lower", "Ab"), value("upper", "Ab"), value("trim", " a "), value("+", "a", "b")];
  assert.deepEqual(texts, [3, "ab", "AB", "a", "ab"]);
  const found = ["contains", "starts_with", "ends_with"].map((operation) => value(operation, "harbour", "our"));
  assert.deepEqual([...found, value("not", true)], [true, false, true, false]);
  const days = [value("year", "2026-03-01"), value("month", "2026-03-01"), value("weekday", "2026-03-01"), value("add_days", "2026-02-28", 1), value("days_between", "2026-02-27", "2026-03-01")];
  assert.deepEqual(days, [2026, 3, 7, "2026-03-01", 2]);
});

test("records are found by every word, and by fields, in the order that is asked for", () => {
  const records = [
    { id: 1, title: "Red Fox", kind: "a", text: null, count: 9 },
    { id: 2, title: "Fox", kind: "b", text: "so red", count: 10 },
    { id: 3, title: "Owl", kind: "b" },
  ];
  const ids = (query) => find(card, records, new URLSearchParams(query)).map(({ id }) => id);
  assert.deepEqual(ids(""), [3, 2, 1]);
  assert.deepEqual(ids("q=red+fox"), [2, 1]);
  assert.deepEqual(ids("q=fox&kind=b"), [2]);
  assert.deepEqual(ids("sort=count"), [1, 2, 3]);
  assert.deepEqual(ids("sort=title"), [2, 3, 1]);
});

test("a table is read as it was written, whatever its cells hold", () => {
  const rows = [["id", "text"], ["1", 'a "b", c'], ["2", "two\nlines"], ["3", ""], ["4", " x "], ["5", "a;b\tc"]];
  assert.deepEqual(readCsv(writeCsv(rows)), rows);
  assert.deepEqual(readCsv("a;b\n1;2"), [["a", "b"], ["1", "2"]]);
  assert.deepEqual(readCsv("a,b\r\n1,\r\n\r\n"), [["a", "b"], ["1", ""]]);
  assert.throws(() => readCsv('a\n"open'), /not closed/);
  for (const text of ["=1+1", "'=1", "-5", "@x", "plain", "'quoted'"]) assert.equal(unguarded(guarded(text)), text);
  assert.equal(guarded("=1+1"), "'=1+1");
});

test("records are exported for people and for programs", () => {
  const records = [{ id: 1, title: "One", count: 2, text: "a\nb", weight: 1 }];
  assert.equal(exportRecords(card, records, "markdown").text, "## One\n\n**count:** 2\n\n**weight:** 1.0\n\n**text:** a  \nb\n");
  assert.deepEqual(JSON.parse(exportRecords(card, records, "json").text), records);
  assert.match(exportRecords(card, [{ id: 1, title: "=SUM(A1)" }], "csv").text, /^\uFEFFid,title.*\r\n1,'=SUM\(A1\),/);
});

test("texts become values of the right kind", () => {
  const fields = card.fields.filter(({ name }) => ["title", "count", "weight", "done", "text"].includes(name));
  assert.deepEqual(readTexts(fields, { title: " x ", count: "2", weight: "", done: "on" }), { title: "x", count: 2, weight: null, done: true, text: null });
});

test("records are there again after a restart, and a broken file is left alone", (context) => {
  const { folder, open } = temporary(context);
  const store = open();
  assert.deepEqual(store.all("customer").map(({ name }) => name), ["Ada", "Bo"]);
  assert.equal(store.get("invoice", 1).issued, "2026-02-27");
  const { id } = store.change((draft) => draft.put("card", { title: "One" }));
  store.change((draft) => draft.put("card", { id, title: "Two" }));
  store.change((draft) => draft.remove("card", draft.put("card", { title: "Gone" }).id));
  assert.throws(() => store.change((draft) => { draft.put("card", { title: "Never" }); throw new Error("no"); }), /no/);
  assert.deepEqual(open().all("card").map(({ title }) => title), ["Two"]);
  assert.equal(open().change((draft) => draft.put("card", { title: "Three" })).id, 3);
  const file = join(folder, "cards.json");
  writeFileSync(file, "not json");
  assert.throws(() => open(), /does not hold records/);
  assert.equal(readFileSync(file, "utf8"), "not json");
  assert.throws(() => openStore(file, sampleModel, () => today), /ENOTDIR/);
});

test("two that share a folder see each other's records, and never give an id twice", (context) => {
  const { open } = temporary(context);
  const both = [open(), open()];
  const add = (index) => both[index % 2].change((draft) => draft.put("card", { title: String(index) })).id;
  assert.deepEqual(Array.from({ length: 10 }, (_, index) => add(index)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  both[0].change((draft) => draft.remove("card", 4));
  both[1].change((draft) => draft.put("card", { ...draft.get("card", 5), title: "Five" }));
  assert.equal(both[1].get("card", 4), undefined);
  assert.equal(both[0].get("card", 5).title, "Five");
  assert.deepEqual(both[0].all("card"), both[1].all("card"));
});

test("a new version keeps what an older one stored, and an older one finds it again", (context) => {
  const { open } = temporary(context);
  const plain = (entity) => ({ ...sampleModel, entities: [{ ...entity, computed: [], rules: [], seed: [] }] });
  const field = (name, more) => ({ name, type: "string", label: name, ...more });
  const older = plain({ name: "note", file: "notes", fields: [field("title"), field("gone")] });
  const newer = plain({ name: "memo", file: "memos", fileWas: "notes", fields: [field("heading", { was: "title" }), field("mood", { initial: "calm" })] });
  open(older).change((draft) => draft.put("note", { title: "Tea", gone: "kept" }));
  const store = open(newer);
  assert.deepEqual(store.all("memo"), [{ id: 1, heading: "Tea", mood: "calm" }]);
  store.change((draft) => draft.put("memo", { ...draft.get("memo", 1), heading: "Coffee" }));
  const back = open({ ...older, entities: [{ ...older.entities[0], file: "memos" }] });
  assert.deepEqual(back.all("note"), [{ id: 1, title: "Coffee", gone: "kept" }]);
});

test("what is deleted takes along what is part of it, empties references, or stays", () => {
  const all = { customer: [{ id: 1 }], invoice: [{ id: 1, customer_id: 1 }], line: [{ id: 4, invoice_id: 1 }], mark: [{ id: 2, customer_id: 1 }] };
  assert.match(removalOf("customer", 1, around(all)).problem, /invoice/);
  assert.deepEqual(removalOf("invoice", 1, around(all)).removed, [{ entity: "invoice", id: 1 }, { entity: "line", id: 4 }]);
  assert.deepEqual(removalOf("customer", 1, around({ ...all, invoice: [] })).emptied, [{ entity: "mark", id: 2, field: "customer_id" }]);
});

test("the command line is read, and mistakes in it are told", () => {
  assert.equal(readOptions(sampleModel, ["--data", "x", "--no-window"]).data, "x");
  assert.equal(readOptions(sampleModel, ["--data=y"]).data, "y");
  assert.equal(readOptions(sampleModel, ["--data"]).error, "--data needs a folder");
  assert.equal(readOptions(sampleModel, ["--nonsense"]).error, "unknown option --nonsense");
  assert.match(helpText(sampleModel), /--data FOLDER {2}keep everything/);
});

test("the window opens in a browser without bars where there is one", () => {
  const command = (platform, exists, path = "/bin") => windowCommand({ width: 8, height: 6 }, "http://x/", { platform, path, exists });
  assert.deepEqual(command("linux", (file) => file === "/bin/chromium"), {
    file: "/bin/chromium",
    words: ["--app=http://x/", "--window-size=8,6"],
  });
  const nothing = () => false;
  assert.deepEqual(["linux", "darwin", "win32"].map((platform) => command(platform, nothing).file), ["xdg-open", "open", "cmd"]);
  assert.match(command("darwin", () => true).file, /Google Chrome/);
});
