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
  assert.deepEqual(idsOf("sort=secret"), [1, 2, 3]);
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
