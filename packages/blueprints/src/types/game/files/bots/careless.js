import { wayTo } from "./look-ahead.js";

/** A player who loses on purpose: runs into whatever hurts, and else waits until the time is over. */
export function carelessPlayer() {
  let moves = [];
  return (rules, state) => {
    if (moves.length === 0) {
      const isWanted = (next) => next.status !== "won" && next.player.lives < state.player.lives;
      moves = wayTo(rules, state, { isWanted, isAllowed: (next) => next.status !== "won", mostTicks: 40 }) ?? Array(20).fill(null);
    }
    return moves.shift();
  };
}

/** A player who does nothing at all. */
export function idlePlayer() {
  return () => null;
}
