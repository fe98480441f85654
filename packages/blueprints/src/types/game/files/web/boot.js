import { scoreOf } from "../engine/measures.js";
import { createControls } from "./controls.js";
import { draw } from "./draw.js";
import { advance, newSession, press } from "./session.js";

/** Puts the game on the page and runs it. What it needs of the browser comes in as `window`. */
export function boot(window, rules) {
  const page = window.document;
  const canvas = page.getElementById("board");
  const context = canvas.getContext("2d");
  let session = newSession(rules, seedOf(rules, window.location.search), loadBest(window, rules));
  let lastMs;
  let elapsedMs = 0;

  const onButton = (button) => {
    session = press(rules, session, button);
    elapsedMs = 0;
    show(page, rules, session);
  };
  const controls = createControls({
    rules,
    target: window,
    surface: canvas,
    gamepads: () => window.navigator.getGamepads?.() ?? [],
    onButton,
  });
  page.getElementById("start").addEventListener("click", () => onButton("start"));
  page.getElementById("pause").addEventListener("click", () => onButton("pause"));
  page.addEventListener("visibilitychange", () => {
    if (page.hidden && session.screen === "playing") onButton("pause");
  });

  const frame = (nowMs) => {
    // After a long time away the game goes on where it was, it does not catch up.
    elapsedMs += Math.min(nowMs - (lastMs ?? nowMs), rules.tickMs);
    lastMs = nowMs;
    if (elapsedMs >= rules.tickMs) {
      elapsedMs -= rules.tickMs;
      const before = session;
      session = advance(rules, session, controls.take());
      if (session.best > before.best) saveBest(window, rules, session.best);
      if (session !== before) show(page, rules, session);
    }
    const isMoving = session.screen === "playing";
    draw(context, rules, session, isMoving ? elapsedMs / rules.tickMs : 1);
    window.requestAnimationFrame(frame);
  };
  show(page, rules, session);
  window.requestAnimationFrame(frame);
}

/** The seed that the address names, such as `?seed=42`; else that of the rules. */
export function seedOf(rules, search) {
  const given = rules.seedFromUrl ? new URLSearchParams(search).get("seed") : null;
  return given !== null && /^-?\d{1,9}$/.test(given) ? Number(given) : rules.defaultSeed;
}

function show(page, rules, { screen, game, best, seed }) {
  const set = (id, text) => {
    page.getElementById(id).textContent = text;
  };
  set("score", String(scoreOf(rules, game)));
  set("best", String(best));
  set("lives", String(game.player.lives));
  set("goal", rules.goal.collect.map(({ name, count }) => `${game.collected[name] ?? 0}/${count} ${name}`).join(", "));
  set("time", rules.goal.maxTicks === null ? "∞" : String(rules.goal.maxTicks - game.tick));
  set("seed", String(seed));
  const { text, hint } = rules.screens[screen] ?? { text: "", hint: "" };
  set("message-text", text);
  set("message-hint", hint);
  page.getElementById("message").hidden = screen === "playing";
  page.getElementById("pause").hidden = screen !== "playing";
}

function loadBest({ localStorage }, { id, keepsBest }) {
  try {
    return keepsBest ? Number(localStorage.getItem(`${id}:best`)) || 0 : 0;
  } catch {
    return 0; // A browser may forbid storage; the game works without.
  }
}

function saveBest({ localStorage }, { id, keepsBest }, best) {
  try {
    if (keepsBest) localStorage.setItem(`${id}:best`, String(best));
  } catch {
    // The best score is then known until the page is closed.
  }
}
