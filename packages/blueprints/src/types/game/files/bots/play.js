import { newGame } from "../engine/new-game.js";
import { step } from "../engine/step.js";

/**
 * Plays a game to its end, or for as many ticks as given.
 *
 * @param {(rules: object, state: object) => string | null} player what to do next, asked at every tick
 */
export function play(rules, seed, player, mostTicks = 5000) {
  let state = newGame(rules, seed);
  while (state.status === "playing" && state.tick < mostTicks) state = step(rules, state, player(rules, state));
  return state;
}
