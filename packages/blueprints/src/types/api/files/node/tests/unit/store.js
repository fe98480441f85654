import assert from "node:assert/strict";
import { appendFile, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Store } from "#src/store.js";
import { emptyFolder } from "#testing/start-app.js";

const resources = [{ name: "note" }];

test("what was stored is there after a restart, and what was removed is not", async (t) => {
  const folder = await emptyFolder(t);
  const first = await Store.open(folder, resources);
  const kept = await first.collection("note").insert({ text: "kept" });
  const gone = await first.collection("note").insert({ text: "gone" });
  await first.collection("note").replace({ ...kept, text: "changed" });
  await first.collection("note").remove([gone.id]);
  await first.close();

  const second = await Store.open(folder, resources);
  assert.deepEqual(second.collection("note").all(), [{ id: kept.id, text: "changed" }]);
  assert.equal((await second.collection("note").insert({ text: "next" })).id, gone.id + 1);
  await second.close();
});

test("a line that a crash left half written is cut off", async (t) => {
  const folder = await emptyFolder(t);
  const first = await Store.open(folder, resources);
  await first.collection("note").insert({ text: "whole" });
  await first.close();
  await appendFile(join(folder, "note.jsonl"), '{"put":{"id":2,"te');

  const second = await Store.open(folder, resources);
  assert.deepEqual(
    second
      .collection("note")
      .all()
      .map(({ text }) => text),
    ["whole"],
  );
  await second.collection("note").insert({ text: "after the crash" });
  await second.close();
  const third = await Store.open(folder, resources);
  assert.equal(third.collection("note").all().length, 2);
  await third.close();
});

test("a journal of many changes is short again after a restart", async (t) => {
  const folder = await emptyFolder(t);
  const first = await Store.open(folder, resources);
  const note = await first.collection("note").insert({ text: "0" });
  for (let count = 1; count < 20; count += 1) await first.collection("note").replace({ ...note, text: String(count) });
  await first.close();
  await (await Store.open(folder, resources)).close();
  const lines = (await readFile(join(folder, "note.jsonl"), "utf8")).trim().split("\n");
  assert.deepEqual(lines, ['{"last":1}', '{"put":{"id":1,"text":"19"}}']);
});

test("many at once get different ids, and nobody else can read the file", async (t) => {
  const folder = await emptyFolder(t);
  const store = await Store.open(folder, resources);
  const records = await Promise.all(Array.from({ length: 50 }, () => store.collection("note").insert({})));
  assert.equal(new Set(records.map(({ id }) => id)).size, 50);
  await store.close();
  assert.equal((await stat(join(folder, "note.jsonl"))).mode & 0o077, 0);
});

test("an example that was deleted does not come back", async (t) => {
  const folder = await emptyFolder(t);
  const withExample = [{ name: "note", seed: [{ id: 5, text: "example" }] }];
  const first = await Store.open(folder, withExample);
  assert.equal(first.collection("note").get("5").text, "example");
  await first.collection("note").remove([5]);
  await first.close();
  const second = await Store.open(folder, withExample);
  assert.deepEqual(second.collection("note").all(), []);
  await second.close();
});
