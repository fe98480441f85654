import { directions, isSameTile, neighbour, opposite, tileKey } from "./board.js";
import { statusOf } from "./goal.js";
import { worth } from "./measures.js";
import { layFood, newSnake } from "./new-level.js";
import { layPowerUps, takeLying } from "./place.js";

/** The level one step later: the snake turns, moves, and eats or dies. */
export function stepLevel(rules, state, input) {
  const facing = turn(state, input);
  const head = neighbour(rules.board, state.body[0], facing);
  const moved = isDeadly(rules, state, head) ? die(rules, state) : moveTo(rules, { ...state, facing }, head);
  const next = { ...moved, tick: state.tick + 1 };
  return { ...next, status: isBoardFull(rules, next) ? "won" : statusOf(rules, next) };
}

/** A snake cannot turn back into its own neck. */
function turn({ facing, body }, input) {
  if (!Object.hasOwn(directions, input ?? "")) return facing;
  return body.length > 1 && input === opposite[facing] ? facing : input;
}

/** Whether the head dies there: beyond the board, in a wall, or in the body, whose last tile moves away unless it grows. */
export function isDeadly({ board }, { blocked, body, growing }, head) {
  if (head === undefined || blocked.has(tileKey(board, head))) return true;
  const staying = growing > 0 ? body : body.slice(0, -1);
  return staying.some((tile) => isSameTile(tile, head));
}

/** A life less; while there are more, a new snake starts, and what was eaten still counts. */
function die(rules, state) {
  const lives = state.lives - 1;
  return lives <= 0 ? { ...state, lives } : { ...state, lives, effects: {}, ...newSnake(rules, state.blocked) };
}

function moveTo(rules, state, head) {
  const isGrowing = state.growing > 0;
  const body = [head, ...(isGrowing ? state.body : state.body.slice(0, -1))];
  const moved = { ...state, body, growing: isGrowing ? state.growing - 1 : 0 };
  const fed = takeLying(rules, eat(rules, moved, head), head);
  const isFree = (tile) =>
    !fed.blocked.has(tileKey(rules.board, tile)) && ![...fed.body, ...fed.collectibles].some((other) => isSameTile(other, tile));
  return layFood(rules, layPowerUps(rules, fed, state.count, isFree));
}

function eat(rules, state, head) {
  const food = state.collectibles.find((one) => isSameTile(one, head));
  if (food === undefined) return state;
  const { points, growth } = rules.collectibles.find(({ name }) => name === food.name);
  return {
    ...state,
    points: state.points + worth(points, state),
    growing: state.growing + growth,
    count: state.count + 1,
    collected: { ...state.collected, [food.name]: (state.collected[food.name] ?? 0) + 1 },
    collectibles: state.collectibles.filter((one) => one !== food),
  };
}

/** A snake that leaves no tile for food has won, whatever the goal. */
function isBoardFull({ collectibles: kinds }, { collectibles }) {
  return collectibles.length === 0 && kinds.some(({ count }) => count > 0);
}
