import { distance } from "./board.js";
import { wayBetween } from "./describe.js";

/** What the player sees, in words: the nearest thing to collect, and the nearest that hurts. */
export function describeBoard({ board }, { player, collectibles, hazards }) {
  const nearest = (things) =>
    things.toSorted((a, b) => distance(board, a, player) - distance(board, b, player))[0];
  const good = nearest(collectibles);
  const bad = nearest(hazards);
  return [
    good === undefined ? "Nothing is left to collect." : `The nearest ${good.name}: ${wayBetween(player, good)}.`,
    ...(bad === undefined ? [] : [`Beware of the ${bad.name}: ${wayBetween(player, bad)}.`]),
  ].join(" ");
}
