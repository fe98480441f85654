import assert from "node:assert/strict";
import { appendFile, chmod, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Store } from "#src/store.js";
import { emptyFolder } from "#testing/start-app.js";

const fields = { text: { type: "text" }, index: { type: "integer" } };
const resources = [{ name: "note", fields }];

/** The store of a folder, and its notes; it is closed after the test. */
async function open(t, folder, of = resources) {
  const store = await Store.open(folder, of);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  t.after(close);
  const notes = store.collection("note");
  return { store, notes, close, add: (fields) => store.change(() => notes.insert(fields)) };
}

test("what was stored is there after a restart, and what was removed is not", async (t) => {
  const folder = await emptyFolder(t);
  const first = await open(t, folder);
  const kept = await first.add({ text: "kept" });
  const gone = await first.add({ text: "gone" });
  await first.store.change(() => {
    first.notes.replace({ ...kept, text: "changed" });
    first.notes.remove(gone.id);
  });
  await first.close();

  const second = await open(t, folder);
  assert.deepEqual(second.notes.all(), [{ id: kept.id, text: "changed", index: null }]);
  assert.equal((await second.add({ text: "next" })).id, gone.id + 1);
});

test("two that share a folder see each other's records, and never give an id twice", async (t) => {
  const folder = await emptyFolder(t);
  const [one, two] = await Promise.all([open(t, folder), open(t, folder)]);
  const made = await Promise.all(Array.from({ length: 50 }, (_, index) => [one, two][index % 2].add({ index })));
  assert.equal(new Set(made.map(({ id }) => id)).size, 50);
  assert.deepEqual(one.notes.all(), two.notes.all());
  assert.equal(one.notes.all().length, 50);
  await one.store.change(() => one.notes.remove(7));
  assert.equal(two.notes.get("7"), undefined);
});

test("a change that fails is none, on disk and in memory", async (t) => {
  const folder = await emptyFolder(t);
  const { store, notes, add } = await open(t, folder);
  const { id } = await add({ text: "before" });
  const failing = store.change(() => {
    notes.replace({ id, text: "after" });
    notes.insert({ text: "more" });
    throw new Error("no");
  });
  await assert.rejects(failing, /no/);
  assert.deepEqual(notes.all(), [{ id, text: "before", index: null }]);
  assert.deepEqual((await open(t, folder)).notes.all(), [{ id, text: "before", index: null }]);
  assert.throws(() => notes.remove(id), /inside of change/);
});

test("only those who may write into the folder can read the file", async (t) => {
  const own = await emptyFolder(t);
  await open(t, own);
  assert.equal((await stat(join(own, "records.db"))).mode & 0o077, 0);
  const shared = await emptyFolder(t);
  await chmod(shared, 0o770);
  await open(t, shared);
  assert.equal((await stat(join(shared, "records.db"))).mode & 0o777, 0o660);
});

test("an example that was deleted does not come back", async (t) => {
  const folder = await emptyFolder(t);
  const withExample = [{ name: "note", fields, seed: [{ id: 5, text: "example" }] }];
  const first = await open(t, folder, withExample);
  assert.equal(first.notes.get("5").text, "example");
  await first.store.change(() => first.notes.remove(5));
  await first.close();
  assert.deepEqual((await open(t, folder, withExample)).notes.all(), []);
});

test("what an earlier version kept in a journal is taken over once", async (t) => {
  const folder = await emptyFolder(t);
  const journal = join(folder, "note.jsonl");
  await writeFile(journal, '{"last":9}\n{"put":{"id":1,"text":"old"}}\n{"put":{"id":2}}\n{"remove":2}\n{"put":{"id":3');
  const first = await open(t, folder);
  assert.deepEqual(first.notes.all(), [{ id: 1, text: "old", index: null }]);
  assert.equal((await first.add({})).id, 10);
  await first.close();
  await appendFile(journal, "\n");
  assert.equal((await open(t, folder)).notes.all().length, 2);
});
