import { scoreOf } from "../engine/measures.js";
import { newGame } from "../engine/new-game.js";
import { step } from "../engine/step.js";

/**
 * What a person at the screen goes through: the title, games, pauses, an end, another game. `before` is the state one
 * tick ago, for drawing what lies between the two.
 */
export function newSession(rules, seed, best = 0) {
  const game = newGame(rules, seed);
  return { screen: "title", seed, game, before: game, best };
}

/** What the session is after somebody pressed start or pause. */
export function press(rules, session, button) {
  if (button === "pause" && session.screen === "playing") return { ...session, screen: "paused" };
  if (session.screen === "paused") return { ...session, screen: "playing" };
  if (button !== "start" || session.screen === "playing") return session;
  const isFirst = session.screen === "title";
  const seed = isFirst ? session.seed : session.seed + 1;
  return { ...newSession(rules, seed, session.best), screen: "playing" };
}

/** The session one tick later; nothing moves unless a game is being played. */
export function advance(rules, session, move) {
  if (session.screen !== "playing") return session;
  const game = step(rules, session.game, move);
  const screen = game.status === "playing" ? "playing" : game.status;
  const best = screen === "playing" ? session.best : Math.max(session.best, scoreOf(rules, game));
  return { ...session, game, before: session.game, screen, best };
}
