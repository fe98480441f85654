import { isSameTile, neighbour, opposite, reachable, tileKey } from "./board.js";
import { placeObstacles, shuffledTiles } from "./place.js";

/** The state in which a level begins, with the lives and points that were carried into it. */
export function newLevel(rules, { random, lives, points }) {
  const obstacles = placeObstacles(rules, rules.snake.start, random);
  const { placed, blocked } = obstacles;
  const state = {
    random: obstacles.random,
    tick: 0,
    status: "playing",
    lives,
    points,
    collected: {},
    count: 0,
    effects: {},
    lying: [],
    obstacles: placed,
    blocked,
    collectibles: [],
    ...newSnake(rules, blocked),
  };
  return layFood(rules, state);
}

/** A snake at the start. What does not fit behind its head it grows in its first steps. */
export function newSnake({ board, snake }, blocked) {
  const body = [snake.start];
  while (body.length < snake.length) {
    const behind = neighbour(board, body.at(-1), opposite[snake.facing]);
    const isFree = behind !== undefined && !blocked.has(tileKey(board, behind)) && !body.some((tile) => isSameTile(tile, behind));
    if (!isFree) break;
    body.push(behind);
  }
  return { body, facing: snake.facing, growing: snake.length - body.length };
}

/** Lays food on free tiles within reach until there is as much of each kind as the rules want. */
export function layFood({ board, snake, collectibles: kinds }, state) {
  let { random, collectibles } = state;
  for (const { name, count, minDistance } of kinds) {
    const lacking = count - collectibles.filter((food) => food.name === name).length;
    if (lacking <= 0) continue;
    const within = reachable(board, snake.start, state.blocked);
    const isFree = (tile) =>
      within.has(tileKey(board, tile)) &&
      ![...state.body, ...collectibles, ...state.lying].some((other) => isSameTile(other, tile));
    const found = shuffledTiles(board, state.body[0], minDistance, isFree, random);
    random = found.random;
    collectibles = [...collectibles, ...found.tiles.slice(0, lacking).map((tile) => ({ ...tile, name }))];
  }
  return { ...state, random, collectibles };
}
