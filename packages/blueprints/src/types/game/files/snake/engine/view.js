import { distance } from "./board.js";
import { wayBetween } from "./describe.js";

/** What the player sees, in words: the snake, and the nearest food. */
export function describeBoard({ board }, { body, facing, collectibles }) {
  const [head] = body;
  const nearest = collectibles.toSorted((a, b) => distance(board, a, head) - distance(board, b, head))[0];
  const snake = `The snake is ${body.length} ${body.length === 1 ? "tile" : "tiles"} long and goes ${facing}.`;
  return nearest === undefined ? snake : `${snake} The nearest ${nearest.name}: ${wayBetween(head, nearest)}.`;
}
