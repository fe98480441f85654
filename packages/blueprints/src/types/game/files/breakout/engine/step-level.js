import { statusOf } from "./goal.js";
import { speedOf, worth } from "./measures.js";
import { ballRadius, paddleHeight, serve } from "./new-level.js";
import { stepsPerSecond } from "./pace.js";
import { dueKinds, isActive, takePowerUp } from "./power-ups.js";

/** The ball moves no further than this at once, so that it cannot pass through anything. */
const maxTilesAtOnce = 0.2;
const fallTilesPerStep = 0.06;
/** How steeply the ball leaves the very end of the paddle, from straight up. */
const maxLean = Math.PI / 3;

/** The level one step later: the paddle moves, the ball flies, bricks break and power-ups fall. */
export function stepLevel(rules, state, input) {
  const moved = movePaddle(rules, state, input);
  const flown = fly(rules, moved, input);
  const next = fall(rules, { ...flown, tick: state.tick + 1 });
  return { ...next, status: statusOf(rules, next) };
}

export function paddleWidth({ board, paddle }, state) {
  return Math.min(board.columns, isActive(state, "wide_paddle") ? paddle.widthTiles * 1.5 : paddle.widthTiles);
}

function movePaddle(rules, state, input) {
  const way = { left: -1, right: 1 }[input] ?? 0;
  const half = paddleWidth(rules, state) / 2;
  const x = state.paddle.x + (way * rules.paddle.tilesPerSecond) / stepsPerSecond;
  return { ...state, paddle: { x: Math.min(rules.board.columns - half, Math.max(half, x)) } };
}

function fly(rules, state, input) {
  if (state.waitsUntil > state.tick && input !== "up") return { ...state, ball: { ...state.ball, x: state.paddle.x } };
  const way = speedOf(rules, state) / stepsPerSecond;
  const parts = Math.ceil(way / maxTilesAtOnce);
  let next = { ...state, waitsUntil: 0 };
  for (let part = 0; part < parts; part += 1) {
    next = flyTo(rules, next, way / parts);
    if (next.ball.y - ballRadius > rules.board.rows) return loseBall(rules, next);
  }
  return next;
}

/** Across first, then down: whatever is met on one of the ways turns the ball on that way. */
function flyTo(rules, state, way) {
  const across = bounce(rules, state, "x", "dx", way);
  return bounce(rules, onPaddle(rules, across, way), "y", "dy", way);
}

function bounce(rules, state, axis, direction, way) {
  const ball = { ...state.ball, [axis]: state.ball[axis] + state.ball[direction] * way };
  const hit = state.bricks.find((brick) => isMet(ball, brick));
  const isBlocked = hit !== undefined || isOutside(rules.board, ball, axis) || state.walls.some((wall) => isMet(ball, wall));
  if (!isBlocked) return { ...state, ball };
  const turned = { ...state, ball: { ...state.ball, [direction]: -state.ball[direction] } };
  return hit === undefined ? turned : damage(rules, turned, hit);
}

/** The ball may leave the board at the bottom only. */
function isOutside({ columns }, { x, y, dx, dy }, axis) {
  if (axis === "y") return dy < 0 && y < ballRadius;
  return (dx < 0 && x < ballRadius) || (dx > 0 && x > columns - ballRadius);
}

function isMet({ x, y }, { column, row }) {
  const across = x - Math.min(column + 1, Math.max(column, x));
  const down = y - Math.min(row + 1, Math.max(row, y));
  return across ** 2 + down ** 2 < ballRadius ** 2;
}

/** The paddle sends the ball up, the more to a side the nearer to its end it was met. */
function onPaddle(rules, state, way) {
  const { ball, paddle } = state;
  const top = rules.board.rows - paddleHeight;
  const isThere = ball.dy > 0 && ball.y + ballRadius + ball.dy * way >= top && ball.y <= top;
  const offset = (ball.x - paddle.x) / (paddleWidth(rules, state) / 2 + ballRadius);
  if (!isThere || Math.abs(offset) > 1) return state;
  const lean = offset * maxLean;
  return { ...state, ball: { ...ball, dx: Math.sin(lean), dy: -Math.cos(lean) } };
}

function damage(rules, state, brick) {
  const { name, points } = rules.bricks[brick.kind];
  const others = state.bricks.filter((one) => one !== brick);
  if (brick.hits > 1) return { ...state, bricks: [...others, { ...brick, hits: brick.hits - 1 }] };
  const count = state.count + 1;
  const due = dueKinds(rules, state.count, count).map((kind) => ({ kind, x: brick.column + 0.5, y: brick.row + 0.5 }));
  return {
    ...state,
    bricks: others,
    count,
    points: state.points + worth(points, state),
    collected: { ...state.collected, [name]: (state.collected[name] ?? 0) + 1 },
    falling: [...state.falling, ...due],
  };
}

function loseBall(rules, state) {
  const lives = state.lives - 1;
  return lives <= 0 ? { ...state, lives } : serve(rules, { ...state, lives, effects: {} });
}

/** Power-ups fall; the paddle takes those it meets. */
function fall(rules, state) {
  const half = paddleWidth(rules, state) / 2;
  const top = rules.board.rows - paddleHeight;
  const moved = state.falling.map((one) => ({ ...one, y: one.y + fallTilesPerStep }));
  const isTaken = ({ x, y }) => y >= top && y < rules.board.rows && Math.abs(x - state.paddle.x) <= half + 0.3;
  const falling = moved.filter((one) => !isTaken(one) && one.y < rules.board.rows);
  return moved.filter(isTaken).reduce((next, { kind }) => takePowerUp(rules, next, kind), { ...state, falling });
}
