import { directions, isSameTile, neighbour, opposite, reachable, tileKey } from "../engine/board.js";
import { rulesOf } from "../engine/game.js";
import { isDeadly } from "../engine/step-level.js";

/** A player who goes for the nearest food, unless that way ends in a trap; then for where there is most room. */
export function carefulPlayer() {
  return (rules, state) => {
    const level = rulesOf(rules, state.level);
    const open = openMoves(level, state);
    if (open.length === 0) return null;
    const first = firstMoveToFood(level, state, open);
    const room = (move) => roomAfter(level, state, move);
    if (first !== undefined && room(first) > state.body.length) return first.direction;
    return open.toSorted((a, b) => room(b) - room(a))[0].direction;
  };
}

/** The directions in which the snake survives the next step, and the tile each leads to. */
export function openMoves(level, state) {
  return Object.keys(directions)
    .filter((direction) => state.body.length === 1 || direction !== opposite[state.facing])
    .map((direction) => ({ direction, tile: neighbour(level.board, state.body[0], direction) }))
    .filter(({ tile }) => !isDeadly(level, state, tile));
}

/** Searches breadth first, around the body as it lies now. */
function firstMoveToFood({ board }, { body, blocked, collectibles, lying }, open) {
  const closed = new Set([...blocked, ...body.map((tile) => tileKey(board, tile))]);
  const food = new Set([...collectibles, ...lying].map((one) => tileKey(board, one)));
  let ways = open.map((first) => ({ first, tile: first.tile }));
  const seen = new Set();
  while (ways.length > 0) {
    const found = ways.find(({ tile }) => food.has(tileKey(board, tile)));
    if (found !== undefined) return found.first;
    ways = ways.flatMap(({ first, tile }) =>
      Object.keys(directions).flatMap((direction) => {
        const next = neighbour(board, tile, direction);
        const key = next === undefined ? undefined : tileKey(board, next);
        if (key === undefined || closed.has(key) || seen.has(key)) return [];
        seen.add(key);
        return [{ first, tile: next }];
      }),
    );
  }
  return undefined;
}

function roomAfter({ board }, { body, blocked, growing }, { tile }) {
  const rest = growing > 0 ? body : body.slice(0, -1);
  const closed = new Set([...blocked, ...rest.filter((one) => !isSameTile(one, tile)).map((one) => tileKey(board, one))]);
  return reachable(board, tile, closed).size;
}
