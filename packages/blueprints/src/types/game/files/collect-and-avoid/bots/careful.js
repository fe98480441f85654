import { rulesOf } from "../engine/game.js";
import { wayTo } from "./look-ahead.js";

/** A player who wins on purpose: goes for what is nearest and still wanted, on a way that costs no life if there is one. */
export function carefulPlayer() {
  let moves = [];
  return (rules, state) => {
    if (moves.length === 0) moves = plan(rules, state);
    return moves.shift() ?? null;
  };
}

function plan(rules, state) {
  const now = missing(rules, state);
  const isWanted = (next) =>
    next.status === "won" || next.level > state.level || (next.status !== "lost" && missing(rules, next) < now);
  const isUnhurt = (next) => next.lives >= state.lives;
  const safe = wayTo(rules, state, { isWanted: (next) => isWanted(next) && isUnhurt(next), isAllowed: isUnhurt });
  const any = () => wayTo(rules, state, { isWanted });
  // Where only time is left to pass, a step without harm is as good as any.
  const waiting = () => wayTo(rules, state, { isWanted: isUnhurt, maxSteps: 1 });
  return safe ?? any() ?? waiting() ?? [];
}

/** How much is still to be collected in this level. */
function missing(rules, state) {
  const parts = rulesOf(rules, state.level).goal.wins.map((win) => {
    if (win.collected !== undefined) return Math.max(0, win.count - (state.collected[win.collected] ?? 0));
    return win.score === undefined ? 0 : Math.max(0, win.score - state.points);
  });
  return parts.reduce((sum, part) => sum + part, 0);
}
