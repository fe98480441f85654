import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleModel } from "#src/sample-model.js";
import { boot, isPressed } from "#src/ui/boot.js";
import { detailView, listView, valuesOf } from "#src/ui/views.js";

const [entity] = sampleModel.entities;
const shown = sampleModel.window.detail.fields;

/** A window with the app in it: as much of a browser as the app uses, and a server that remembers. */
async function open() {
  let records = [{ id: 1, title: "One", text: "first" }];
  const asked = [];
  const elements = new Map(
    ["list", "detail", "status", "search"].map((id) => [id, { id, innerHTML: "", textContent: "", value: "", focus: () => asked.push(`focus ${id}`) }]),
  );
  const answer = (body, ok = true) => ({ ok, json: async () => body });
  const server = (path, { method, body }) => {
    asked.push(`${method} ${path}`);
    const values = body && JSON.parse(body);
    if (method === "POST" && path !== "/api/quit") {
      if (values.title === null) return answer({ error: "Not right.", fields: { title: "is required" } }, false);
      records = [{ id: 2, ...values }, ...records];
      return answer(records[0]);
    }
    if (method === "PATCH") {
      records = records.map((record) => (path.endsWith(`/${record.id}`) ? { ...record, ...values } : record));
      return answer(records.find((record) => path.endsWith(`/${record.id}`)));
    }
    if (method === "DELETE") records = records.filter((record) => !path.endsWith(`/${record.id}`));
    return answer(records);
  };
  const menu = { removeAttribute: () => asked.push("menu closed") };
  const document = Object.assign(new EventTarget(), {
    getElementById: (id) => elements.get(id),
    querySelector: () => ({ focus: () => asked.push("focus first") }),
    querySelectorAll: () => [menu],
  });
  const window = {
    document,
    fetch: async (...request) => server(...request),
    confirm: () => true,
    close: () => asked.push("closed"),
    location: { assign: (path) => asked.push(`went to ${path}`) },
    readForm: (form) => form.values,
  };
  await boot(window, sampleModel);
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
  const send = async (type, fields) => {
    const event = new Event(type, { cancelable: true });
    for (const [name, value] of Object.entries(fields)) Object.defineProperty(event, name, { value });
    document.dispatchEvent(event);
    await settled();
  };
  const touching = (selector, dataset) => ({ closest: (asks) => (asks === selector ? { dataset } : null) });
  return {
    asked,
    window,
    html: (id) => elements.get(id).innerHTML,
    status: () => elements.get("status").textContent,
    choose: (id) => send("click", { target: touching("[data-id]", { id }) }),
    pick: (item) => send("click", { target: touching("[data-item]", { item }) }),
    clickNowhere: () => send("click", { target: touching("", {}) }),
    save: (values) => send("submit", { target: { values } }),
    type: (words) => {
      elements.get("search").value = words;
      return send("input", { target: elements.get("search") });
    },
    press: (keys) => send("keydown", { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, code: "", ...keys }),
  };
}

test("the window lists what there is, and shows what is chosen", async () => {
  const app = await open();
  assert.match(app.html("list"), /One/);
  await app.choose("1");
  assert.match(app.html("list"), /aria-current/);
  assert.match(app.html("detail"), /value="One"/);
  await app.clickNowhere();
});

test("something new is written, refused while it is not right, then saved and corrected", async () => {
  const app = await open();
  await app.pick("0");
  assert.ok(app.asked.includes("menu closed") && app.asked.includes("focus first"));
  await app.save({ title: "" });
  assert.match(app.html("detail"), /title is required\./);
  await app.save({ title: "Two", count: "4" });
  assert.equal(app.status(), "Saved.");
  assert.match(app.html("list"), /Two/);
  await app.save({ title: "Twice" });
  assert.ok(app.asked.includes("PATCH /api/cards/2"));
  assert.match(app.html("list"), /Twice/);
});

test("menus and their keys delete, export, search and quit", async () => {
  const app = await open();
  await app.pick("2");
  assert.ok(!app.asked.some((line) => line.startsWith("DELETE")));
  await app.choose("1");
  await app.pick("2");
  assert.match(app.html("list"), /No cards\./);
  await app.pick("1");
  assert.ok(app.asked.includes("went to /api/cards.md"));
  await app.press({ key: "ƒ", code: "KeyF", altKey: true });
  assert.ok(app.asked.includes("focus search"));
  await app.press({ key: "f" });
  await app.type("red fox");
  assert.ok(app.asked.includes("GET /api/cards?q=red%20fox"));
  await app.pick("4");
  assert.ok(app.asked.includes("closed"));
});

test("a server that has gone is told, not hidden", async () => {
  const app = await open();
  app.window.fetch = async () => {
    throw new Error("gone");
  };
  await app.save({ title: "x" });
  assert.equal(app.status(), "The app does not answer.");
  await app.type("x");
  await app.pick("4");
  assert.equal(app.status(), "The app does not answer.");
});

test("whatever a record holds is only text on the page", () => {
  const nasty = { id: 1, title: "<script>", text: '"&' };
  assert.doesNotMatch(listView(sampleModel.window, [nasty], undefined), /<script>/);
  assert.match(detailView(entity, shown, nasty), /value="&#60;script&#62;"/);
  assert.match(detailView(entity, shown, { done: true, kind: "b" }), /<option selected>b.* checked>/s);
});

test("a form becomes values of the right kind", () => {
  const values = valuesOf(entity, shown, { title: " x ", count: "2", weight: "", done: "on" });
  assert.deepEqual([values.title, values.count, values.weight, values.done, values.text], ["x", 2, null, true, null]);
});

test("a shortcut is its keys, neither more nor less", () => {
  const keys = { key: "n", alt: true, ctrl: false, shift: false };
  const event = { key: "n", code: "KeyN", altKey: true, ctrlKey: false, metaKey: false, shiftKey: false };
  assert.equal(isPressed(keys, event), true);
  assert.equal(isPressed(keys, { ...event, shiftKey: true }), false);
  assert.equal(isPressed(keys, { ...event, altKey: false }), false);
});
