import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "#src/store.js";
import { emptyFolder } from "#testing/start-app.js";

const text = { type: "string" };
const one = [{ name: "ticket", fields: { name: text, colour: text, size: text } }];
const two = [
  {
    name: "issue",
    was: "ticket",
    fields: { title: { ...text, was: "name" }, size: { type: "integer" }, urgent: { type: "boolean", default: false } },
  },
];

/** Opens a folder with a version's resources, does something with their records, and closes it. */
async function as(folder, resources, work) {
  const store = await Store.open(folder, resources);
  const records = store.collection(resources[0].name);
  const result = await store.change(() => work(records));
  await store.close();
  return result;
}

const change = (more) => (records) => records.replace({ ...records.get(1), ...more });
const fieldsOf = ({ id: _, ...fields }) => fields;

test("a new version finds what was renamed, added and removed", async (t) => {
  const folder = await emptyFolder(t);
  await as(folder, one, (records) => records.insert({ name: "Blank page", colour: "red", size: "12" }));
  const record = await as(folder, two, (records) => records.get(1));
  assert.deepEqual(fieldsOf(record), { title: "Blank page", size: 12, urgent: false });
});

test("the version before finds what the new one wrote, with what it alone knows", async (t) => {
  const folder = await emptyFolder(t);
  await as(folder, one, (records) => records.insert({ name: "Blank page", colour: "red", size: "1" }));
  await as(folder, two, change({ title: "Empty page", urgent: true }));
  const back = await as(folder, one, (records) => records.get(1));
  assert.deepEqual(fieldsOf(back), { name: "Empty page", colour: "red", size: "1" });
  await as(folder, two, (records) => records.insert({ title: "New", size: 2, urgent: true }));
  assert.equal((await as(folder, one, (records) => records.get(2))).name, "New");
});

test("what the version before changes counts when the new one is back", async (t) => {
  const folder = await emptyFolder(t);
  await as(folder, two, (records) => records.insert({ title: "First", size: 1, urgent: true }));
  await as(folder, one, change({ name: "Second", size: "3" }));
  const record = await as(folder, two, (records) => records.get(1));
  assert.deepEqual(fieldsOf(record), { title: "Second", size: 3, urgent: true });
});

test("two versions that share a folder see each other's changes", async (t) => {
  const folder = await emptyFolder(t);
  const old = await Store.open(folder, one);
  const next = await Store.open(folder, two);
  t.after(() => Promise.all([old.close(), next.close()]));
  await old.change(() => old.collection("ticket").insert({ name: "Shared" }));
  assert.equal(next.collection("issue").get(1).title, "Shared");
  await next.change(() => change({ title: "Both" })(next.collection("issue")));
  assert.equal(old.collection("ticket").get(1).name, "Both");
});

test("a name that is given once stays: the resource is found without being told again", async (t) => {
  const folder = await emptyFolder(t);
  await as(folder, one, (records) => records.insert({ name: "Kept" }));
  await as(folder, two, () => undefined);
  const [{ was: _, ...later }] = two;
  const record = await as(folder, [later], (records) => records.get(1));
  assert.equal(record.title, "Kept");
});
