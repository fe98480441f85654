import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { boot } from "#app/boot.js";
import { model } from "#app/model.js";
import { sampleModel } from "#app/sample-model.js";
import { site } from "#server/site.js";
import { createStaticServer } from "#server/static-server.js";

const server = createStaticServer(site);
let address;

before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

/** A phone with the app open: as much of a browser as the app uses, and a finger. */
function phone(app, path = "/") {
  const kept = new Map();
  const focused = [];
  const add = fakeElement({});
  const elements = new Map(["app", "heading", "status"].map((id) => [id, { id, innerHTML: "", textContent: "", focus: () => focused.push(id) }]));
  const links = app.screens.map((screen) => fakeElement({ href: screen.path }));
  const document = Object.assign(new EventTarget(), {
    title: "",
    hidden: false,
    getElementById: (id) => elements.get(id),
    querySelectorAll: () => links,
    querySelector: (selector) => (selector === "nav .add" ? add : { focus: () => focused.push("wrong") }),
  });
  const location = { pathname: "", search: "" };
  const visit = (target) => {
    const { pathname, search } = new URL(target, "http://phone");
    Object.assign(location, { pathname, search });
  };
  visit(path);
  const registered = [];
  const timers = [];
  const window = Object.assign(new EventTarget(), {
    document,
    location,
    history: { pushState: (_state, _title, target) => visit(target) },
    localStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) },
    navigator: { serviceWorker: { register: (script) => registered.push(script) }, storage: { persist: () => registered.push("kept") } },
    readForm: (form) => form.values,
    setTimeout: (work) => timers.push(work),
    clearTimeout: (number) => delete timers[number - 1],
  });
  const send = (type, fields) => {
    const event = new Event(type, { cancelable: true });
    for (const [name, value] of Object.entries(fields)) Object.defineProperty(event, name, { value });
    document.dispatchEvent(event);
  };
  const touching = (matches) => ({ closest: (selector) => matches[selector] ?? null });
  boot(window, app, () => new Date(2026, 2, 1));
  return {
    registered,
    links,
    add,
    focused,
    forget: () => {
      window.localStorage.setItem = () => {
        throw new Error("full");
      };
    },
    wait: () => timers.splice(0).forEach((work) => work()),
    status: () => elements.get("status").textContent,
    html: () => elements.get("app").innerHTML,
    heading: () => elements.get("heading").textContent,
    path: () => location.pathname,
    open: (href) => send("click", { target: touching({ "a[data-link]": fakeElement({ href }) }) }),
    press: (action, id) => send("click", { target: touching({ "[data-action]": { dataset: { action, id } } }) }),
    touchNothing: () => send("click", { target: touching({}) }),
    submit: (values) => send("submit", { target: { values } }),
    swipe: (id, fromX, toX) => {
      send("pointerdown", { clientX: fromX, target: touching({ "[data-row]": { dataset: { row: id } } }) });
      send("pointerup", { clientX: toX });
    },
    back: (target) => {
      visit(target);
      window.dispatchEvent(new Event("popstate"));
    },
    wake: () => send("visibilitychange", {}),
  };
}

function fakeElement(attributes) {
  return {
    attributes,
    getAttribute: (name) => attributes[name],
    setAttribute: (name, value) => Object.assign(attributes, { [name]: value }),
    removeAttribute: (name) => delete attributes[name],
  };
}

test("every screen is a page of its own, with its title and the way to install the app", async () => {
  for (const { path, title } of model.screens) {
    const response = await fetch(address + path);
    assert.equal(response.status, 200, path);
    const page = await response.text();
    assert.match(page, /name="viewport"/);
    assert.match(page, /manifest\.webmanifest/);
    assert.ok(page.includes(title.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)), title);
  }
  assert.equal((await fetch(`${address}/health`)).status, 200);
  assert.equal((await fetch(`${address}/nothing-here`)).status, 404);
  assert.equal((await fetch(`${address}/`, { method: "POST" })).status, 405);
  assert.match((await fetch(`${address}/sw.js`)).headers.get("content-type"), /javascript/);
});

test("every screen of this app shows something", () => {
  for (const { path, title } of model.screens) {
    const app = phone(model, path);
    assert.equal(app.heading(), title);
    assert.ok(app.html().length > 0);
    assert.deepEqual(app.registered, ["/sw.js", "kept"]);
  }
});

test("every form of this app refuses what is required and not there", () => {
  for (const { path, of, kind, fields } of model.screens) {
    const entity = model.entities.find(({ name }) => name === of);
    const needed = entity.fields.filter(({ name, required, initial }) => required && initial === undefined && kind === "form" && fields.includes(name));
    if (needed.length === 0) continue;
    const app = phone(model, path);
    app.submit({});
    assert.equal(app.path(), path);
    assert.match(app.html(), /is required\./);
    assert.equal(app.status(), "Some fields are not right.");
    assert.deepEqual(app.focused, ["wrong"]);
  }
});

test("a tap changes a record, and the list follows", () => {
  const app = phone(sampleModel);
  assert.match(app.html(), /Sweep/);
  assert.doesNotMatch(app.html(), /Cook/);
  assert.match(app.html(), /aria-label="Done: Sweep"/);
  app.press("tap", "1");
  assert.match(app.html(), /Nothing\./);
  assert.equal(app.status(), "Done: Sweep");
  app.wait();
  assert.equal(app.status(), "");
  app.press("tap", "99");
  app.press("swipeRight", "1");
  app.touchNothing();
  assert.match(app.html(), /Nothing\./);
});

test("a swipe does what its row offers, and a short one nothing", () => {
  const app = phone(sampleModel);
  app.swipe("1", 100, 80);
  app.swipe("1", 100, 200);
  assert.match(app.html(), /Sweep/);
  app.swipe("1", 200, 100);
  assert.match(app.html(), /Nothing\./);
});

test("a day that is checked adds to the streak, once", () => {
  const app = phone(sampleModel, "/all");
  assert.match(app.html(), /2026-03-05 · streak 1/);
  app.swipe("2", 100, 200);
  assert.match(app.html(), /streak 2/);
  app.press("swipeRight", "2");
  assert.match(app.html(), /streak 2/);
  app.wait();
  assert.equal(app.status(), "day is there already.");
});

test("a summary goes over all records", () => {
  const app = phone(sampleModel, "/summary");
  assert.match(app.html(), /<dt>Best<\/dt><dd>1<\/dd>.*<dt>Weight<\/dt><dd>–<\/dd>/s);
  app.open("/all");
  app.swipe("2", 100, 200);
  app.open("/summary");
  assert.match(app.html(), /<dt>Best<\/dt><dd>2<\/dd>/);
});

test("a record is added, corrected and deleted", () => {
  const app = phone(sampleModel);
  app.open("/task");
  assert.equal(app.heading(), "Task");
  assert.deepEqual(app.focused, ["heading"]);
  assert.doesNotMatch(app.html(), /Delete/);
  app.submit({ name: "", place: "home", every: "2", last: "2026-03-02" });
  assert.match(app.html(), /name is required\..*last must be at most 2026-03-01\./s);
  app.submit({ name: "<b>Dust", place: "work", every: "1", last: "2026-02-01" });
  assert.equal(app.path(), "/");
  assert.match(app.html(), /&#60;b&#62;Dust/);
  app.open("/task?id=3");
  assert.match(app.html(), /value="&#60;b&#62;Dust"/);
  app.submit({ name: "Dusted", place: "work", every: "1", last: "2026-02-01", done: "on" });
  app.open("/all");
  assert.equal(app.add.attributes.href, "/task");
  assert.match(app.html(), /Dusted/);
  assert.equal(app.links[1].attributes["aria-current"], "page");
  app.open("/task?id=3");
  assert.match(app.html(), / checked>/);
  app.press("delete");
  assert.doesNotMatch(app.html(), /Dusted/);
});

test("what something else needs is not deleted, and what is part of it goes with it", () => {
  const app = phone(sampleModel, "/task?id=2");
  app.press("delete");
  assert.match(app.status(), /tool refers to it/);
  app.open("/tool?id=1");
  assert.match(app.html(), /<option value="2" selected>Cook/);
  app.press("delete");
  app.open("/task?id=2");
  app.press("delete");
  app.open("/all");
  assert.doesNotMatch(app.html(), /Cook/);
});

test("who cannot be kept anything for is told", () => {
  const app = phone(sampleModel, "/tool");
  app.forget();
  app.submit({ name: "Broom" });
  app.open("/tool?id=3");
  assert.match(app.html(), /Broom/);
});

test("going back and waking up show what is there now", () => {
  const app = phone(sampleModel, "/task");
  app.back("/all");
  assert.equal(app.heading(), "All");
  app.wake();
  assert.match(app.html(), /Cook/);
  app.back("/nowhere");
  assert.equal(app.heading(), "Due");
});
