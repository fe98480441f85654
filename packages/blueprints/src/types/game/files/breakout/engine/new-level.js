import { nextRandom } from "./random.js";

export const ballRadius = 0.3;
/** How far the top of the paddle is from the bottom of the board. */
export const paddleHeight = 0.8;

/** The state in which a level begins, with the lives and points that were carried into it. */
export function newLevel(rules, { random, lives, points }) {
  return serve(rules, {
    random,
    tick: 0,
    status: "playing",
    lives,
    points,
    collected: {},
    count: 0,
    effects: {},
    falling: [],
    walls: rules.walls,
    bricks: rules.placedBricks.map(({ column, row, kind }) => ({ column, row, kind, hits: rules.bricks[kind].hits })),
    paddle: { x: rules.board.columns / 2 },
  });
}

/** Puts the ball on the paddle. It starts after a second, or when the player says "up", in a direction by chance. */
export function serve({ board }, state) {
  const { value, state: random } = nextRandom(state.random);
  const lean = (value - 0.5) * 0.8;
  const ball = { x: state.paddle.x, y: board.rows - paddleHeight - ballRadius, dx: Math.sin(lean), dy: -Math.cos(lean) };
  return { ...state, random, ball, waitsUntil: state.tick + 60 };
}
