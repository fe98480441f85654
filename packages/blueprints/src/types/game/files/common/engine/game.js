import { newLevel } from "./new-level.js";
import { stepLevel } from "./step-level.js";

/** The rules of one level: those of the game, and what the level has of its own. */
export function rulesOf(rules, level) {
  return { ...rules, ...rules.levels[level] };
}

/** The state in which a game with this seed begins. */
export function newGame(rules, seed) {
  const carried = { random: seed | 0, lives: rules.lives, points: 0 };
  return { ...newLevel(rulesOf(rules, 0), carried), seed, level: 0 };
}

/**
 * The state one step later: a pure function of the rules, the state and what the player wants. A game that is over stays
 * as it is; a level that is won is followed by the next one, into which lives and points are carried.
 *
 * @param {string | null} input a direction, or nothing
 */
export function step(rules, state, input) {
  if (state.status !== "playing") return state;
  const current = rulesOf(rules, state.level);
  const next = stepLevel(current, state, input);
  if (next.status !== "won") return next;
  const points = next.points + current.scoring.perLevel;
  const level = state.level + 1;
  if (level === rules.levels.length) return { ...next, points };
  return { ...newLevel(rulesOf(rules, level), { random: next.random, lives: next.lives, points }), seed: state.seed, level };
}
