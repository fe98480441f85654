import { rulesOf } from "../engine/game.js";
import { stepMs } from "../engine/pace.js";
import { createControls } from "./controls.js";
import { draw } from "./draw.js";
import { loadScores, saveScores, withScore } from "./high-scores.js";
import { advance, newSession, press, shownScore } from "./session.js";
import { announce, isNews, show, showScores } from "./show.js";

/** After a longer time away the game goes on where it was, it does not catch up. */
const maxFrameMs = 100;

/** Puts the game on the page and runs it. What it needs of the browser comes in as `window`. */
export function boot(window, rules) {
  const page = window.document;
  const canvas = page.getElementById("board");
  const context = canvas.getContext("2d");
  const calm = window.matchMedia?.("(prefers-reduced-motion: reduce)");
  let session = newSession(rules, seedOf(rules, window.location.search));
  let scores = loadScores(window, rules);
  let lastMs;
  let elapsedMs = 0;

  const change = (next) => {
    const before = session;
    session = next;
    if (session === before) return;
    const isOver = session.screen === "won" || session.screen === "lost";
    if (isOver && before.screen === "playing") keepScore();
    show(page, rules, session, scores);
    if (isNews(before, session)) announce(page, rules, session);
  };
  const keepScore = () => {
    const day = new Date(window.Date.now()).toISOString().slice(0, 10);
    const next = withScore(rules, scores, { score: shownScore(rules, session), level: session.game.level + 1, day });
    scores = next;
    saveScores(window, rules, scores);
    showScores(page, scores);
  };
  const onButton = (button) => {
    elapsedMs = 0;
    change(press(rules, session, button));
  };
  const controls = createControls({
    rules,
    target: window,
    surface: canvas,
    buttons: [...(page.querySelectorAll?.("[data-move]") ?? [])],
    gamepads: () => window.navigator.getGamepads?.() ?? [],
    onButton,
  });
  page.getElementById("start").addEventListener("click", () => onButton("start"));
  page.getElementById("pause").addEventListener("click", () => onButton("pause"));
  page.addEventListener("visibilitychange", () => {
    if (page.hidden && session.screen === "playing") onButton("pause");
  });

  const frame = (nowMs) => {
    elapsedMs += Math.min(nowMs - (lastMs ?? nowMs), maxFrameMs);
    lastMs = nowMs;
    const durationMs = () => stepMs(rulesOf(rules, session.game.level), session.game);
    while (elapsedMs >= durationMs()) {
      elapsedMs -= durationMs();
      change(advance(rules, session, controls.take()));
    }
    const isCalm = calm?.matches === true;
    // Who wants little motion sees each step at once, without gliding.
    const part = session.screen === "playing" && !isCalm ? elapsedMs / durationMs() : 1;
    draw(context, rulesOf(rules, session.game.level), session, { part, isCalm });
    window.requestAnimationFrame(frame);
  };
  show(page, rules, session, scores);
  showScores(page, scores);
  announce(page, rules, session);
  window.requestAnimationFrame(frame);
}

/** The seed that the address names, such as `?seed=42`; else that of the rules. */
export function seedOf(rules, search) {
  const given = rules.seedFromAddress ? new URLSearchParams(search).get("seed") : null;
  return given !== null && /^-?\d{1,9}$/.test(given) ? Number(given) : rules.seed;
}
