import { tileKey } from "../engine/board.js";
import { step } from "../engine/game.js";

/**
 * The moves of a shortest way to a state that is wanted, found by trying the game itself out; nothing if there is
 * none within so many steps. States on the same tile at the same step count as one.
 */
export function wayTo(rules, state, { isWanted, isAllowed = () => true, maxSteps = 60 }) {
  let open = [{ state, path: undefined }];
  for (let steps = 0; steps < maxSteps && open.length > 0; steps += 1) {
    const seen = new Set();
    const following = [];
    for (const { state: from, path } of open) {
      for (const move of [null, ...rules.player.moves]) {
        const next = step(rules, from, move);
        const trail = { move, before: path };
        if (isWanted(next)) return movesOf(trail);
        const key = tileKey(rules.board, next.player);
        if (seen.has(key) || next.status !== "playing" || !isAllowed(next)) continue;
        seen.add(key);
        following.push({ state: next, path: trail });
      }
    }
    open = following;
  }
  return undefined;
}

function movesOf(trail) {
  const moves = [];
  for (let at = trail; at !== undefined; at = at.before) moves.unshift(at.move);
  return moves;
}
