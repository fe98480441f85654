import assert from "node:assert/strict";
import { test } from "node:test";
import { select } from "#src/query.js";

const resource = {
  fields: { size: { type: "enum", values: ["small", "large", "huge"] } },
  filters: ["size", "tags"],
  search: ["name"],
  sort: ["name", "size", "age"],
};
const records = [
  { id: 1, name: "Red kite", size: "huge", tags: ["bird"], age: 3 },
  { id: 2, name: "ant", size: "small", tags: ["insect"], age: null },
  { id: 3, name: "Blue tit", size: "small", tags: ["bird", "garden"], age: 1 },
];
const idsOf = (text) => select(resource, records, new URLSearchParams(text)).items.map(({ id }) => id);

test("a filter keeps what is equal to it", () => {
  assert.deepEqual(idsOf("size=small"), [2, 3]);
  assert.deepEqual(idsOf("size=huge&tags=insect"), []);
});

test("of several values of a filter one is enough", () => {
  assert.deepEqual(idsOf("size=huge&size=large"), [1]);
  assert.deepEqual(idsOf("size=huge,small&tags=bird"), [1, 3]);
});

test("a name that is no filter changes nothing", () => {
  assert.deepEqual(idsOf("colour=red"), [1, 2, 3]);
});

test("a search finds all its words, whatever their case", () => {
  assert.deepEqual(idsOf("q=KITE"), [1]);
  assert.deepEqual(idsOf("search=blue tit"), [3]);
  assert.deepEqual(idsOf("q=blue kite"), []);
});

test("a list is sorted up and down, an enum as it is declared, nothing at the end", () => {
  assert.deepEqual(idsOf("sort=size"), [2, 3, 1]);
  assert.deepEqual(idsOf("sort=-size"), [1, 2, 3]);
  assert.deepEqual(idsOf("sort=name&order=desc"), [2, 1, 3]);
  assert.deepEqual(idsOf("sort=age"), [3, 1, 2]);
  assert.throws(() => idsOf("sort=secret"), /must be one of name, size, age, not 'secret'/);
});

test("moments are sorted as they follow each other, wherever they were written", () => {
  const times = ["2030-05-04T10:00:00+02:00", "2030-05-04T09:00:00Z", null, "2030-05-04T08:30:00Z"];
  const timed = { ...resource, fields: { at: { type: "datetime" } }, sort: ["at"] };
  const all = times.map((at, index) => ({ id: index + 1, at }));
  const ids = (text) => select(timed, all, new URLSearchParams(text)).items.map(({ id }) => id);
  assert.deepEqual(ids("sort=at"), [1, 4, 2, 3]);
  assert.deepEqual(ids("sort=-at"), [2, 4, 1, 3]);
});

test("a list that asks for no order has that of its resource", () => {
  const { items } = select({ ...resource, order: "-id", page_size: 2 }, records, new URLSearchParams());
  assert.deepEqual(
    items.map(({ id }) => id),
    [3, 2],
  );
});

test("a range keeps what is in it, and nothing that is empty", () => {
  const ranged = { ...resource, filters: ["age", "day"] };
  const dated = records.map((record) => ({ ...record, day: `2030-05-0${record.id}` }));
  const ids = (text) => select(ranged, dated, new URLSearchParams(text)).items.map(({ id }) => id);
  assert.deepEqual(ids("age_min=2"), [1]);
  assert.deepEqual(ids("age_min=1&age_max=2"), [3]);
  assert.deepEqual(ids("day_min=2030-05-02T00:00:00Z"), [2, 3]);
});

test("a list comes in pages, with how many there are in all", () => {
  const { items, ...page } = select(resource, records, new URLSearchParams("limit=2&offset=2"));
  assert.deepEqual([items.map(({ id }) => id), page], [[3], { total: 3, limit: 2, offset: 2 }]);
  assert.deepEqual(idsOf("per_page=1&page=2"), [2]);
});

test("a page that nobody can turn to is refused", () => {
  for (const text of ["limit=0", "limit=many", "offset=-1", "page=1.5", "limit="])
    assert.throws(() => idsOf(text), { status: 400 });
});
