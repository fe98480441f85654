import { newGame, step } from "../engine/game.js";

/**
 * Plays a game to its end, or for as many steps as given.
 *
 * @param {(rules: object, state: object) => string | null} player what to do next, asked at every step
 */
export function play(rules, seed, player, maxSteps = 60_000) {
  let state = newGame(rules, seed);
  for (let steps = 0; state.status === "playing" && steps < maxSteps; steps += 1) {
    state = step(rules, state, player(rules, state));
  }
  return state;
}
