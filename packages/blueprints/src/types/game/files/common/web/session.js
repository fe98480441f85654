import { newGame, rulesOf, step } from "../engine/game.js";
import { scoreOf } from "../engine/measures.js";

/**
 * What a person at the screen goes through: the title, levels, pauses, an end, another game. `before` is the state one
 * step ago, for drawing what lies between the two.
 */
export function newSession(rules, seed) {
  const game = newGame(rules, seed);
  return { screen: "title", seed, game, before: game };
}

/** What the session is after somebody pressed start or pause. */
export function press(rules, session, button) {
  if (button === "pause" && session.screen === "playing") return { ...session, screen: "paused" };
  if (session.screen === "paused" || session.screen === "level") return { ...session, screen: "playing" };
  if (button !== "start" || session.screen === "playing") return session;
  const isFirst = session.screen === "title";
  const seed = isFirst ? session.seed : session.seed + 1;
  return { ...newSession(rules, seed), screen: "playing" };
}

/** The session one step later; nothing moves unless a game is being played. */
export function advance(rules, session, move) {
  if (session.screen !== "playing") return session;
  const game = step(rules, session.game, move);
  if (game.level > session.game.level) return { ...session, game, before: game, screen: "level" };
  const screen = game.status === "playing" ? "playing" : game.status;
  return { ...session, game, before: session.game, screen };
}

/** The points that the page shows. */
export function shownScore(rules, { game }) {
  return scoreOf(rulesOf(rules, game.level), game);
}
