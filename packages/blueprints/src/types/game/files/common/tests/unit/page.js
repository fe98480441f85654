import assert from "node:assert/strict";
import { test } from "node:test";
import { quickRules, smallRules } from "#bots/small-rules.js";
import { boot, seedOf } from "#web/boot.js";
import { createControls, readPad, swipeDirection } from "#web/controls.js";
import { draw } from "#web/draw.js";
import { loadScores, withScore } from "#web/high-scores.js";
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

test("buttons on the page move while they are pressed, and once for a keyboard's click", () => {
  const button = Object.assign(new EventTarget(), { dataset: { move: "left" } });
  const controls = createControls({
    rules: smallRules(),
    target: new EventTarget(),
    surface: new EventTarget(),
    buttons: [button],
    onButton: () => {},
  });
  button.dispatchEvent(event("pointerdown", {}));
  assert.deepEqual([controls.take(), controls.take()], ["left", "left"]);
  button.dispatchEvent(event("pointerup", {}));
  assert.equal(controls.take(), null);
  button.dispatchEvent(event("click", { detail: 0 }));
  assert.deepEqual([controls.take(), controls.take()], ["left", null]);
});

test("a session goes from the title through a pause to an end and a new game", () => {
  const rules = smallRules({ goal: { wins: [{ score: 1_000_000 }], maxSteps: 2 } });
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

test("a state is drawn, with and without motion", () => {
  const rules = smallRules({ powerUps: [{ name: "coin", effect: "slow", every: 1, staysSteps: 9, lastsSteps: 9 }] });
  const session = newSession(rules, 1);
  const drawn = ["lying", "falling"].map((list) => {
    const { context, calls } = recorder();
    const game = { ...session.game, [list]: [{ kind: 0, column: 1, row: 1, x: 1, y: 1 }] };
    draw(context, rules, { before: session.game, game }, { part: 0.5, isCalm: list === "lying" });
    return calls.filter(([name]) => name === "fillRect" || name === "fill").length;
  });
  assert.ok(drawn.every((count) => count >= 3), drawn.join());
});

test("the address picks the game", () => {
  const rules = smallRules();
  assert.equal(seedOf(rules, "?seed=42"), 42);
  assert.equal(seedOf(rules, "?seed=none"), rules.seed);
  assert.equal(seedOf({ ...rules, seedFromAddress: false }, "?seed=42"), rules.seed);
});

test("the best scores are kept in order, and only so many; what is stored wrongly is left out", () => {
  const rules = smallRules();
  const entry = (score) => ({ score, level: 1, day: "2026-01-31" });
  let scores = [];
  for (const score of [5, 9, 7, 9, 1]) scores = withScore(rules, scores, entry(score));
  assert.deepEqual(scores.map(({ score }) => score), [9, 9, 7]);
  const load = (text) => loadScores({ localStorage: { getItem: () => text } }, rules);
  assert.deepEqual(load(JSON.stringify([entry(4), { score: "many" }, null])), [entry(4)]);
  assert.deepEqual([load("{}"), load("nonsense"), load(null)], [[], [], []]);
});

/** As much of a browser's window as the game needs. */
function fakeWindow(storage, { isCalm = false } = {}) {
  const elements = new Map();
  const element = (id) =>
    Object.assign(new EventTarget(), {
      id,
      textContent: "",
      hidden: false,
      children: [],
      append(...more) {
        this.children.push(...more);
      },
      replaceChildren(...more) {
        this.children = more;
      },
    });
  const { context, calls } = recorder();
  const frames = [];
  const document = Object.assign(new EventTarget(), {
    hidden: false,
    createElement: element,
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
    Date: { now: () => Date.UTC(2026, 0, 31) },
    matchMedia: () => ({ matches: isCalm }),
    requestAnimationFrame: (callback) => frames.push(callback),
  });
  const run = (fromMs, toMs) => {
    for (let nowMs = fromMs; nowMs <= toMs; nowMs += 50) frames.shift()(nowMs);
  };
  return { window, calls, run, text: (id) => elements.get(id).textContent, element: (id) => elements.get(id) };
}

test("the page shows the title, plays a game to its end and keeps the score", () => {
  const kept = new Map([["small:scores", '[{"score":1,"level":1,"day":"2025-12-24"}]']]);
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const { window, run, text, element, calls } = fakeWindow(storage);
  boot(window, quickRules());
  assert.equal(text("message-text"), "Small");
  assert.equal(text("best"), "1");
  element("start").dispatchEvent(new Event("click"));
  assert.equal(element("message").hidden, true);
  window.dispatchEvent(event("keydown", { key: "d" }));
  run(0, 10_000);
  assert.equal(text("message-text"), "Won");
  const [best] = JSON.parse(kept.get("small:scores"));
  assert.deepEqual({ ...best, score: String(best.score) }, { score: text("score"), level: 1, day: "2026-01-31" });
  assert.equal(text("best"), text("score"));
  assert.deepEqual(element("scores").children.map(({ children }) => children[0].textContent), [text("score"), "1"]);
  assert.ok(calls.length > 0);
});

test("between levels the page says which one is next, and goes on when it is asked to", () => {
  const storage = { getItem: () => null, setItem: () => {} };
  const { window, run, text, element } = fakeWindow(storage, { isCalm: true });
  boot(window, quickRules({ levels: [{ name: "One" }, { name: "Two" }] }));
  element("start").dispatchEvent(new Event("click"));
  window.dispatchEvent(event("keydown", { key: "d" }));
  run(0, 10_000);
  assert.equal(text("message-text"), "Next 2/2 Two");
  assert.match(text("view"), /^Level 2 of 2/);
  element("start").dispatchEvent(new Event("click"));
  run(10_050, 20_000);
  assert.equal(text("message-text"), "Won");
});

test("the game pauses when the page is hidden, and does without storage", () => {
  const forbidden = { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); } };
  const { window, run, text, element } = fakeWindow(forbidden);
  boot(window, smallRules({ goal: { wins: [{ score: 1_000_000 }], maxSteps: null } }));
  window.dispatchEvent(event("keydown", { key: "Enter" }));
  run(0, 200);
  assert.equal(text("time"), "∞");
  window.document.hidden = true;
  window.document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(element("message").hidden, false);
  element("pause").dispatchEvent(new Event("click"));
  assert.equal(element("message").hidden, true);
});
