import assert from "node:assert/strict";
import { test } from "node:test";
import { valuesOf } from "#src/form-page.js";
import { html } from "#src/html.js";
import { filled, labelOf, nameOf, shownValue } from "#src/show-value.js";

test("what is put into markup stays text, unless it is markup", () => {
  const attack = `"><script>alert('1')</script>&`;
  const { text } =
    html`<p title="${attack}">${html`<b>${attack}</b>`}${[html`<i>1</i>`, 2]}${undefined}${false}${0}</p>`;
  assert.equal(text.match(/</g).length, 6);
  assert.ok(text.endsWith("<i>1</i>20</p>"));
  assert.ok(!text.includes(attack));
});

test("a form holds what its fields hold", () => {
  const fields = {
    name: { type: "string" },
    count: { type: "integer" },
    open: { type: "boolean" },
    size: { type: "enum", values: [1, 2] },
    tags: { type: "list" },
    more: { type: "object" },
    note: { type: "text" },
  };
  const form = new URLSearchParams({
    name: "a",
    count: "3",
    size: "2",
    tags: "x, y,",
    more: '{"a":1}',
    note: "a\r\nb",
  });
  const values = { name: "a", count: 3, open: false, size: 2, tags: ["x", "y"], more: { a: 1 }, note: "a\nb" };
  assert.deepEqual(valuesOf({ fields }, Object.keys(fields), form), values);
  const wrong = valuesOf(
    { fields },
    ["name", "count", "open", "size", "more"],
    new URLSearchParams("count=x&open=true&size=9&more={"),
  );
  assert.deepEqual(wrong, { name: null, count: "x", open: true, size: "9", more: "{" });
});

test("values are shown as people read them", () => {
  assert.equal(shownValue(["a", "b"]), "a, b");
  assert.equal(shownValue(true), "yes");
  assert.equal(shownValue({ a: 1 }), '{"a":1}');
  assert.equal(shownValue(3, { type: "integer" }), "3");
  for (const [type, tag] of [
    ["enum", "<span"],
    ["date", "<time"],
    ["url", "<a "],
    ["text", "<span"],
  ])
    assert.ok(shownValue("x", { type }).text.startsWith(tag));
  assert.match(shownValue(null).text, /none/);
});

test("fields, records and paths have names", () => {
  assert.equal(labelOf("due_back"), "Due back");
  assert.equal(labelOf("due_back", { label: "Until" }), "Until");
  assert.equal(nameOf({ id: 3, name: "Emma" }, { title: "book" }, "name"), "Emma");
  assert.equal(nameOf({ id: 3, name: null }, { title: "book" }, "name"), "Book 3");
  assert.equal(filled("/a/{id}/b", { id: "x/y" }), "/a/x%2Fy/b");
});
