import assert from "node:assert/strict";
import { test } from "node:test";
import { smallRules } from "#bots/small-rules.js";
import { boot, seedOf } from "#web/boot.js";
import { createControls, readPad, swipeDirection } from "#web/controls.js";
import { between, draw } from "#web/draw.js";
import { advance, newSession, press } from "#web/session.js";

/** An event as a browser sends it. */
function event(type, fields) {
  return Object.assign(new Event(type, { cancelable: true }), fields);
}

/** A drawing surface that writes down what is drawn. */
function recorder() {
  const calls = [];
  const gradient = { addColorStop: () => {} };
  const context = new Proxy({}, {
    get: (_, name) => (...values) => {
      calls.push([name, ...values]);
      return gradient;
    },
    set: () => true,
  });
  return { context, calls };
}

test("keys that are held count at every tick, short ones once", () => {
  const target = new EventTarget();
  const controls = createControls({ rules: smallRules(), target, surface: new EventTarget(), onButton: () => {} });
  target.dispatchEvent(event("keydown", { key: "ArrowUp" }));
  assert.equal(controls.take(), "up");
  assert.equal(controls.take(), "up");
  target.dispatchEvent(event("keyup", { key: "ArrowUp" }));
  assert.equal(controls.take(), null);
  target.dispatchEvent(event("keydown", { key: "D" }));
  target.dispatchEvent(event("keyup", { key: "D" }));
  assert.equal(controls.take(), "right");
  assert.equal(controls.take(), null);
  target.dispatchEvent(event("keydown", { key: "ArrowLeft" }));
  target.dispatchEvent(event("blur", {}));
  controls.take();
  assert.equal(controls.take(), null);
});

test("keys with a modifier, repeated ones and unknown ones are left to the browser", () => {
  const target = new EventTarget();
  const controls = createControls({ rules: smallRules(), target, surface: new EventTarget(), onButton: () => {} });
  const isHandled = (fields) => !target.dispatchEvent(event("keydown", fields));
  assert.equal(isHandled({ key: "q" }), false);
  assert.equal(isHandled({ key: "d", ctrlKey: true }), false);
  assert.equal(isHandled({ key: "d", repeat: true }), true);
  assert.equal(controls.take(), null);
});

test("a swipe moves for as long as the finger stays down", () => {
  const surface = new EventTarget();
  const controls = createControls({ rules: smallRules(), target: new EventTarget(), surface, onButton: () => {} });
  surface.dispatchEvent(event("pointermove", { clientX: 90, clientY: 0 }));
  assert.equal(controls.take(), null);
  surface.dispatchEvent(event("pointerdown", { clientX: 0, clientY: 0 }));
  surface.dispatchEvent(event("pointermove", { clientX: 5, clientY: 4 }));
  assert.equal(controls.take(), null);
  surface.dispatchEvent(event("pointermove", { clientX: 40, clientY: 4 }));
  assert.equal(controls.take(), "right");
  assert.equal(controls.take(), "right");
  surface.dispatchEvent(event("pointerup", {}));
  assert.equal(controls.take(), null);
  assert.deepEqual([swipeDirection(-50, 3), swipeDirection(2, 50), swipeDirection(2, -50)], ["left", "down", "up"]);
});

test("a gamepad steers by cross and stick, and its buttons start and pause", () => {
  const buttons = (...pressed) => Array.from({ length: 16 }, (_, index) => ({ pressed: pressed.includes(index) }));
  assert.equal(readPad([null]).direction, null);
  assert.equal(readPad([{ axes: [0, 0], buttons: buttons(14) }]).direction, "left");
  assert.equal(readPad([{ axes: [0.1, 0.9], buttons: buttons() }]).direction, "down");
  const heard = [];
  const controls = createControls({
    rules: smallRules({ controls: { keyboard: {}, touch: "none" } }),
    target: new EventTarget(),
    surface: new EventTarget(),
    gamepads: () => [{ axes: [], buttons: buttons(9) }],
    onButton: (button) => heard.push(button),
  });
  controls.take();
  controls.take();
  assert.deepEqual(heard, ["pause"]);
});

test("a session goes from the title through a pause to an end and a new game", () => {
  const rules = smallRules({ hazards: [], goal: { collect: [{ name: "coin", count: 3 }], maxTicks: 2 } });
  let session = newSession(rules, 5);
  assert.equal(advance(rules, session, "up"), session);
  assert.equal(press(rules, session, "pause").screen, "title");
  session = press(rules, session, "start");
  session = press(rules, session, "pause");
  assert.equal(session.screen, "paused");
  assert.equal(advance(rules, session, "up"), session);
  session = press(rules, session, "pause");
  session = advance(rules, advance(rules, session, null), null);
  assert.equal(session.screen, "lost");
  session = press(rules, session, "start");
  assert.deepEqual([session.screen, session.seed, session.game.tick], ["playing", 6, 0]);
});

test("everything on the board is drawn", () => {
  const rules = smallRules();
  const { context, calls } = recorder();
  const session = newSession(rules, 1);
  draw(context, rules, session, 0.5);
  const count = (name) => calls.filter(([called]) => called === name).length;
  assert.equal(count("fillRect"), 2);
  assert.equal(count("rotate"), 1 + session.game.hazards.length);
  assert.ok(count("quadraticCurveTo") >= 4 * session.game.obstacles.length);
  const bright = recorder();
  draw(bright.context, { ...rules, light: null }, session, 0);
  assert.equal(bright.calls.filter(([called]) => called === "fillRect").length, 1);
});

test("things glide from tile to tile, but not across the whole board", () => {
  assert.deepEqual(between({ column: 1, row: 1 }, { column: 2, row: 1 }, 0.5), { column: 1.5, row: 1 });
  assert.deepEqual(between({ column: 0, row: 1 }, { column: 6, row: 1 }, 0.5), { column: 6, row: 1 });
});

test("the address picks the game", () => {
  const rules = smallRules();
  assert.equal(seedOf(rules, "?seed=42"), 42);
  assert.equal(seedOf(rules, "?seed=none"), rules.defaultSeed);
  assert.equal(seedOf({ ...rules, seedFromUrl: false }, "?seed=42"), rules.defaultSeed);
});

/** As much of a browser's window as the game needs. */
function fakeWindow(storage) {
  const elements = new Map();
  const element = (id) => Object.assign(new EventTarget(), { id, textContent: "", hidden: false });
  const { context, calls } = recorder();
  const frames = [];
  const document = Object.assign(new EventTarget(), {
    hidden: false,
    getElementById: (id) => {
      if (!elements.has(id)) elements.set(id, Object.assign(element(id), { getContext: () => context }));
      return elements.get(id);
    },
  });
  const window = Object.assign(new EventTarget(), {
    document,
    location: { search: "?seed=4" },
    navigator: {},
    localStorage: storage,
    requestAnimationFrame: (callback) => frames.push(callback),
  });
  const run = (fromMs, toMs) => {
    for (let nowMs = fromMs; nowMs <= toMs; nowMs += 50) frames.shift()(nowMs);
  };
  return { window, calls, run, text: (id) => elements.get(id).textContent, element: (id) => elements.get(id) };
}

test("the page shows the title, plays a game to its end and keeps the best score", () => {
  const kept = new Map([["small:best", "1"]]);
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const rules = smallRules({
    hazards: [],
    obstacles: [],
    board: { columns: 7, rows: 1, tilePx: 16, edges: "wrap" },
    player: { ...smallRules().player, start: { column: 3, row: 0 } },
  });
  const { window, run, text, element, calls } = fakeWindow(storage);
  boot(window, rules);
  assert.equal(text("message-text"), "Small");
  assert.equal(text("best"), "1");
  element("start").dispatchEvent(new Event("click"));
  assert.equal(element("message").hidden, true);
  window.dispatchEvent(event("keydown", { key: "d" }));
  run(0, 1000);
  assert.equal(text("message-text"), "Won");
  assert.equal(text("goal"), "3/3 coin");
  assert.ok(Number(kept.get("small:best")) > 15);
  assert.ok(calls.length > 0);
});

test("the game pauses when the page is hidden, and does without storage", () => {
  const forbidden = { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); } };
  const { window, run, text, element } = fakeWindow(forbidden);
  const endless = smallRules({ goal: { collect: [{ name: "coin", count: 3 }], maxTicks: null } });
  boot(window, endless);
  window.dispatchEvent(event("keydown", { key: "Enter" }));
  run(0, 500);
  assert.equal(text("time"), "∞");
  window.document.hidden = true;
  window.document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(element("message").hidden, false);
  element("pause").dispatchEvent(new Event("click"));
  assert.equal(element("message").hidden, true);
});
