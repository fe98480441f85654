import assert from "node:assert/strict";
import { test } from "node:test";
import { formContent, valuesOf } from "#src/form-page.js";
import { html } from "#src/html.js";
import { filled, labelOf, nameOf, shownValue } from "#src/show-value.js";
import { say } from "#src/texts.js";
import { unlabelledControls } from "#testing/labels.js";

const visit = {
  site: { texts: { yes: "ja" } },
  referenced: (_, id) => (id === 3 ? { name: "Oak", path: "/rooms/3" } : { name: String(id) }),
  choicesOf: () => [["3", "Oak"]],
};

test("what is put into markup stays text, unless it is markup", () => {
  const attack = `"><script>alert('1')</script>&`;
  const { text } =
    html`<p title="${attack}">${html`<b>${attack}</b>`}${[html`<i>1</i>`, 2]}${undefined}${false}${0}</p>`;
  assert.equal(text.match(/</g).length, 6);
  assert.ok(text.endsWith("<i>1</i>20</p>"));
  assert.ok(!text.includes(attack));
});

const fields = {
  name: { type: "string" },
  count: { type: "integer" },
  open: { type: "boolean" },
  size: { type: "enum", values: [1, 2] },
  tags: { type: "list" },
  sizes: { type: "list", of: { type: "enum", values: [1, 2] } },
  numbers: { type: "list", of: { type: "number" } },
  more: { type: "object" },
  note: { type: "text" },
  room_id: { type: "reference", to: "room" },
  at: { type: "datetime", min: "now" },
  day: { type: "date", max: "today" },
};

test("a form holds what its fields hold", () => {
  const form = new URLSearchParams({
    name: "a",
    count: "3",
    size: "2",
    tags: "x, y,",
    numbers: "1, 2.5",
    more: '{"a":1}',
    note: "a\r\nb",
    room_id: "3",
    at: "2030-05-04T10:30",
    day: "2030-05-04",
  });
  form.append("sizes", "1");
  form.append("sizes", "2");
  const values = {
    name: "a",
    count: 3,
    open: false,
    size: 2,
    tags: ["x", "y"],
    sizes: [1, 2],
    numbers: [1, 2.5],
    more: { a: 1 },
    note: "a\nb",
    room_id: 3,
    at: "2030-05-04T10:30:00Z",
    day: "2030-05-04",
  };
  assert.deepEqual(valuesOf({ fields }, Object.keys(fields), form), values);
  const wrong = valuesOf(
    { fields },
    ["name", "count", "open", "size", "more"],
    new URLSearchParams("count=x&open=true&size=9&more={"),
  );
  assert.deepEqual(wrong, { name: null, count: "x", open: true, size: "9", more: "{" });
  const page = { fields: Object.keys(fields), layout: "stacked", submit: "Save" };
  const { text } = formContent(visit, { page, resource: { fields }, values });
  assert.deepEqual(unlabelledControls(text), []);
  assert.match(text, /value="2030-05-04T10:30"/);
  assert.match(text, /<option value="3" selected>Oak/);
  assert.equal(text.match(/ checked/g).length, 2);
});

test("values are shown as people read them", () => {
  assert.equal(shownValue(visit, ["a", "b"]), "a, b");
  assert.equal(shownValue(visit, true), "ja");
  assert.equal(shownValue(visit, { a: 1 }), '{"a":1}');
  assert.equal(shownValue(visit, 3, { type: "integer" }), "3");
  assert.match(shownValue(visit, "2030-05-04T10:00:00Z", { type: "datetime" }).text, />2030-05-04 10:00 UTC</);
  assert.match(shownValue(visit, 3, { type: "reference", to: "room" }).text, /href="\/rooms\/3">Oak/);
  assert.equal(shownValue(visit, 4, { type: "reference", to: "room" }), "4");
  for (const [type, tag] of [
    ["enum", "<span"],
    ["date", "<time"],
    ["url", "<a "],
    ["email", "<a "],
    ["text", "<span"],
  ])
    assert.ok(shownValue(visit, "x", { type }).text.startsWith(tag));
  assert.match(shownValue(visit, null).text, /none/);
});

test("fields, records and paths have names", () => {
  assert.equal(labelOf("due_back"), "Due back");
  assert.equal(labelOf("due_back", { label: "Until" }), "Until");
  assert.equal(labelOf("room_id", { type: "reference" }), "Room");
  assert.equal(nameOf({ id: 3, name: "Emma" }, { title: "book" }, "name"), "Emma");
  assert.equal(nameOf({ id: 3, name: null }, { title: "book" }, "name"), "Book 3");
  assert.equal(filled("/a/{id}/b", { id: "x/y" }), "/a/x%2Fy/b");
});

test("the words of the interface are the site's, with what is filled in", () => {
  assert.equal(say({ texts: { add: "{name} anlegen" } }, "add", { name: "Platz" }), "Platz anlegen");
  assert.equal(say({ texts: {} }, "log_in"), "log in");
});
