import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { model } from "#src/model.js";
import { control, shown } from "#src/records/controls.js";
import { sampleModel } from "#src/sample-model.js";
import { boot, isPressed } from "#src/ui/boot.js";
import { detailView, linesView, listView } from "#src/ui/views.js";

const [card] = sampleModel.entities;
const [cards, invoices] = sampleModel.windows;

/** A window with the app in it: as much of a browser as the app uses, and a server that remembers. */
async function open({ id = "card", hash = "", records = [{ id: 1, title: "One", text: "first" }], others = {}, early } = {}) {
  const asked = [];
  const elements = new Map(
    ["list", "detail", "status", "search"].map((name) => [name, { innerHTML: "", textContent: "", value: "", focus: () => asked.push(`focus ${name}`) }]),
  );
  const kept = { "/api/cards": records, ...others };
  const answer = (body, ok = true) => ({ ok, json: async () => body });
  const server = (address, { method, body } = { method: "GET" }) => {
    asked.push(`${method} ${address}`);
    const [, path, number] = /^(\/api\/\w+(?:\.\w+)?)(?:\/(\d+))?/.exec(address);
    const values = /\.(?:csv|json)$/.test(path) ? undefined : body && JSON.parse(body);
    if (path.endsWith(".csv")) return body === "bad" ? answer({ error: "Wrong.", rows: [{ row: 2, fields: { number: "is required" } }] }, false) : answer({ added: 2, changed: 1 });
    if (path.endsWith(".json")) return answer({ error: "The file is not JSON.", rows: [] }, false);
    if (values && Object.values(values)[0] === null) return answer({ error: "Not right.", fields: { [Object.keys(values)[0]]: "is required" } }, false);
    if (method === "POST" && path !== "/api/quit") kept[path] = [{ id: 2, ...values }, ...(kept[path] ?? [])];
    if (method === "PATCH") kept[path] = kept[path].map((one) => (one.id === Number(number) ? { ...one, ...values } : one));
    if (method === "DELETE" && Number(number) === 9) return answer({ error: "An invoice refers to it." }, false);
    if (method === "DELETE") kept[path] = kept[path].filter((one) => one.id !== Number(number));
    if (method === "POST" || method === "PATCH") return answer(kept[path]?.find((one) => one.id === Number(number ?? 2)));
    return answer(kept[path] ?? []);
  };
  const menu = { removeAttribute: () => asked.push("menu closed") };
  const document = Object.assign(new EventTarget(), {
    body: { dataset: { window: id } },
    getElementById: (name) => elements.get(name),
    querySelector: () => ({ focus: () => asked.push("focus first") }),
    querySelectorAll: () => [menu],
  });
  const window = {
    document,
    fetch: async (...request) => server(...request),
    confirm: () => true,
    close: () => asked.push("closed"),
    print: () => asked.push("printed"),
    open: (...words) => asked.push(`opened ${words.join(" ")}`),
    location: { hash, assign: (path) => asked.push(`went to ${path}`) },
    readForm: (form) => form.values,
    pickFile: async () => window.file,
  };
  const booted = boot(window, sampleModel);
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
  const send = async (type, fields) => {
    const event = new Event(type, { cancelable: true });
    for (const [name, value] of Object.entries(fields)) Object.defineProperty(event, name, { value });
    document.dispatchEvent(event);
    await settled();
  };
  const touching = (selector, dataset) => ({ closest: (asks) => (asks === selector ? { dataset } : null) });
  if (early !== undefined) await send("click", { target: touching("[data-id]", { id: early }) });
  await booted;
  return {
    asked,
    window,
    html: (name) => elements.get(name).innerHTML,
    status: () => elements.get("status").textContent,
    choose: (one) => send("click", { target: touching("[data-id]", { id: one }) }),
    pick: (item) => send("click", { target: touching("[data-item]", { item }) }),
    line: (does, one) => send("click", { target: touching("[data-line]", { line: one, does, table: "0" }) }),
    clickNowhere: () => send("click", { target: touching("", {}) }),
    save: (values, dataset = {}) => send("submit", { target: { values, dataset } }),
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
  assert.ok(app.asked.includes("menu closed"));
});

test("what is chosen while the window loads stays chosen", async () => {
  const app = await open({ early: "1" });
  assert.match(app.html("list"), /aria-current/);
  assert.match(app.html("detail"), /value="One"/);
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

test("menus and their keys delete, export, search, print, open windows and quit", async () => {
  const app = await open({ records: [{ id: 1, title: "One" }, { id: 9, title: "Nine" }] });
  await app.pick("2");
  assert.ok(!app.asked.some((line) => line.startsWith("DELETE")));
  await app.choose("9");
  await app.pick("2");
  assert.equal(app.status(), "An invoice refers to it.");
  await app.choose("1");
  await app.pick("2");
  assert.doesNotMatch(app.html("list"), /One/);
  await app.pick("1");
  assert.ok(app.asked.includes("went to /api/cards.md"));
  await app.press({ key: "ƒ", code: "KeyF", altKey: true });
  assert.ok(app.asked.includes("focus search"));
  await app.press({ key: "f" });
  await app.press({ key: "F9" });
  assert.ok(app.asked.includes("printed"));
  await app.press({ key: "Escape" });
  await app.pick("7");
  await app.pick("8");
  assert.ok(app.asked.includes("opened /windows/invoices invoices popup,width=800,height=600") && app.asked.includes("went to /windows/invoices#new"));
  await app.type("red fox");
  assert.ok(app.asked.includes("GET /api/cards?q=red%20fox&sort=-id"));
  await app.pick("4");
  assert.ok(app.asked.includes("closed"));
});

test("an invoice shows whose it is and its total, and its lines are added, changed and deleted", async () => {
  const others = {
    "/api/customers": [{ id: 1, name: "Ada" }],
    "/api/invoices": [{ id: 1, number: "A-1", customer_id: 1, total: 3.4 }],
    "/api/lines": [{ id: 5, invoice_id: 1, what: "Tea", quantity: 2, price: 1.7, amount: 3.4 }],
  };
  const app = await open({ id: "invoices", hash: "#new", others });
  assert.ok(app.asked.includes("focus first"));
  assert.match(app.html("list"), /Ada · 3\.40/);
  await app.choose("1");
  assert.match(app.html("detail"), /<option value="1" selected>Ada<\/option>/);
  assert.match(app.html("detail"), /<output>3\.40<\/output>/);
  assert.match(app.html("detail"), /aria-label="Edit Tea"/);
  await app.line("edit", "5");
  assert.match(app.html("detail"), /data-record="5".*value="Tea"/s);
  await app.save({ what: "Green tea", quantity: "2", price: "2" }, { table: "0", record: "5" });
  assert.ok(app.asked.includes("PATCH /api/lines/5"));
  assert.match(app.html("detail"), /Green tea/);
  await app.save({ what: "", price: "2" }, { table: "0", record: "" });
  assert.match(app.html("detail"), /what is required\./);
  await app.save({ what: "Milk", quantity: "1", price: "2" }, { table: "0", record: "" });
  assert.match(app.html("detail"), /Milk/);
  await app.line("delete", "5");
  assert.doesNotMatch(app.html("detail"), /Green tea/);
});

test("a file is read, and what is wrong with it is told", async () => {
  const app = await open();
  await app.pick("5");
  assert.ok(!app.asked.some((line) => line.startsWith("POST")));
  const read = async (name, text) => {
    app.window.file = { name, text };
    await app.pick("5");
    return app.status();
  };
  assert.equal(await read("x.csv", "good"), "2 added, 1 changed.");
  assert.equal(await read("x.CSV", "bad"), "Wrong. Row 2: number is required.");
  assert.equal(await read("x.json", "bad"), "The file is not JSON.");
  assert.equal(await read("x.pdf", "good"), "Only csv and json files can be read.");
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
  assert.doesNotMatch(listView(cards, card, [nasty], undefined), /<script>/);
  assert.match(detailView(card, cards.detail.fields, nasty), /value="&#60;script&#62;"/);
  const line = sampleModel.entities.find(({ name }) => name === "line");
  assert.doesNotMatch(linesView(line, { by: "invoice_id", records: [{ id: 1, what: "<script>" }] }, 0, {}), /<script>/);
  assert.match(detailView(card, cards.detail.fields, { done: true, kind: "b" }), /<option value="b" selected>b.* checked>/s);
});

test("every control has a label, and what is wrong or helpful belongs to it", () => {
  for (const entity of [...model.entities, ...sampleModel.entities]) {
    for (const field of entity.fields) {
      const markup = control(field, null, "is required");
      const [, id] = /<label for="([^"]+)"/.exec(markup);
      assert.match(markup, new RegExp(`<(?:input|select|textarea) [^>]*id="${id}"[^>]*aria-invalid="true" aria-describedby="${id}-error`));
    }
  }
  assert.match(control(card.fields[0], null), /aria-describedby="field-title-hint"/);
  assert.equal(shown(card, "done", true), "yes");
  assert.equal(shown(sampleModel.entities[2], "customer_id", 7), "#7");
  assert.equal(invoices.detail.lines.length, 1);
});

test("texts stand out from what is behind them, by day and by night", () => {
  const css = readFileSync(new URL(import.meta.resolve("#src/ui/style.css")), "utf8");
  const palettes = css.split("@media (prefers-color-scheme: dark)");
  for (const palette of palettes) {
    const colour = (name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(palette)[1];
    for (const [front, behind] of [["text", "ground"], ["muted", "ground"], ["error", "ground"], ["on-accent", "accent"]]) {
      assert.ok(contrast(colour(front), colour(behind)) >= 4.5, `${front} on ${behind}`);
    }
  }
});

/** The contrast of two colours, as the guidelines on accessible content have it. */
function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("a shortcut is its keys, neither more nor less", () => {
  const keys = { key: "n", alt: true, ctrl: false, shift: false };
  const event = { key: "n", code: "KeyN", altKey: true, ctrlKey: false, metaKey: false, shiftKey: false };
  assert.equal(isPressed(keys, event), true);
  assert.equal(isPressed(keys, { ...event, shiftKey: true }), false);
  assert.equal(isPressed(keys, { ...event, altKey: false }), false);
});
