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
  const missing = (at) =>
    rules.goal.collect.reduce((sum, { name, count }) => sum + Math.max(0, count - (at.collected[name] ?? 0)), 0);
  const now = missing(state);
  const isWanted = (next) => next.status !== "lost" && missing(next) < now;
  const isUnhurt = (next) => next.player.lives === state.player.lives;
  const safe = wayTo(rules, state, { isWanted: (next) => isWanted(next) && isUnhurt(next), isAllowed: isUnhurt });
  return safe ?? wayTo(rules, state, { isWanted }) ?? [];
}
