import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { check, find } from "#src/check.js";
import { exportRecords } from "#src/export.js";
import { helpText, readOptions } from "#src/options.js";
import { sampleModel } from "#src/sample-model.js";
import { openStore } from "#src/store.js";
import { windowCommand } from "#src/window.js";

const [entity] = sampleModel.entities;

test("what is right is taken, with its defaults", () => {
  const { values, errors } = check(entity, { title: "One", count: 3, day: "2026-03-01" });
  assert.deepEqual(errors, {});
  assert.deepEqual([values.title, values.count, values.kind, values.done, values.text], ["One", 3, "a", false, null]);
  assert.deepEqual(check(entity, { count: 4 }, { isPart: true }).values, { count: 4 });
});

test("what is wrong is told field by field", () => {
  const wrong = { count: 1.5, weight: "heavy", kind: "c", day: "soon", done: "yes", text: 5, other: 1 };
  assert.deepEqual(Object.keys(check(entity, wrong).errors).sort(), ["count", "day", "done", "kind", "other", "text", "title", "weight"]);
  assert.match(check(entity, { title: " " }).errors.title, /required/);
  assert.match(check(entity, { title: "x".repeat(21) }).errors.title, /at most 20 characters/);
  assert.match(check(entity, { title: "x", count: 0 }).errors.count, /at least 1/);
  assert.match(check(entity, { title: "x", count: 10 }).errors.count, /at most 9/);
});

test("records are found by every word, and by fields; the newest first", () => {
  const records = [
    { id: 1, title: "Red Fox", kind: "a", text: null },
    { id: 2, title: "Fox", kind: "b", text: "so red" },
    { id: 3, title: "Owl", kind: "b" },
  ];
  const ids = (query) => find(entity, records, new URLSearchParams(query)).map(({ id }) => id);
  assert.deepEqual(ids(""), [3, 2, 1]);
  assert.deepEqual(ids("q=red+fox"), [2, 1]);
  assert.deepEqual(ids("q=fox&kind=b"), [2]);
});

test("records are exported for people and for programs", () => {
  const records = [{ id: 1, title: "One", count: 2, text: "a\nb" }];
  assert.match(exportRecords(entity, records, "markdown").text, /^## One\n\n\*\*count:\*\* 2\n\n\*\*text:\*\* a {2}\nb\n$/);
  assert.deepEqual(JSON.parse(exportRecords(entity, records, "json").text), records);
});

test("records are there again after a restart, and a broken file is left alone", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const store = openStore(folder, entity);
  const { id } = store.add({ title: "One" });
  store.change(id, { title: "Two" });
  store.remove(store.add({ title: "Gone" }).id);
  assert.deepEqual(openStore(folder, entity).all(), [{ id: 1, title: "Two" }]);
  assert.equal(openStore(folder, entity).add({ title: "Three" }).id, 3);
  const file = join(folder, "cards.json");
  writeFileSync(file, "not json");
  assert.throws(() => openStore(folder, entity), /does not hold records/);
  assert.equal(readFileSync(file, "utf8"), "not json");
  assert.throws(() => openStore(file, entity), /ENOTDIR/);
});

test("two that share a folder see each other's records, and never give an id twice", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const both = [openStore(folder, entity), openStore(folder, entity)];
  const ids = Array.from({ length: 10 }, (_, index) => both[index % 2].add({ title: String(index) }).id);
  assert.deepEqual(ids, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  both[0].remove(4);
  both[1].change(5, { title: "Five" });
  assert.equal(both[1].get(4), undefined);
  assert.equal(both[0].get(5).title, "Five");
  assert.deepEqual(both[0].all(), both[1].all());
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
