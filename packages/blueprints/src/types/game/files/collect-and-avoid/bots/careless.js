import { wayTo } from "./look-ahead.js";

/** A player who loses on purpose: runs into whatever hurts, and else waits until the time is over. */
export function carelessPlayer() {
  let moves = [];
  return (rules, state) => {
    if (moves.length === 0) {
      const isAllowed = (next) => next.status !== "won" && next.level === state.level;
      const isWanted = (next) => isAllowed(next) && next.lives < state.lives;
      moves = wayTo(rules, state, { isWanted, isAllowed, maxSteps: 40 }) ?? Array(20).fill(null);
    }
    return moves.shift();
  };
}
