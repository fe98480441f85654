import assert from "node:assert/strict";
import { test } from "node:test";
import { smallRules } from "#bots/small-rules.js";
import { newGame, step } from "#engine/game.js";
import { ballRadius, paddleHeight } from "#engine/new-level.js";
import { stepMs } from "#engine/pace.js";
import { paddleWidth } from "#engine/step-level.js";
import { describeBoard } from "#engine/view.js";

/** A game of the small rules whose ball flies as the test says. */
function stage(ball, changes = {}, rules = smallRules()) {
  const state = newGame(rules, 1);
  return { ...state, waitsUntil: 0, ball: { ...state.ball, ...ball }, ...changes };
}

function after(steps, state, { rules = smallRules(), input = null } = {}) {
  let next = state;
  for (let count = 0; count < steps; count += 1) next = step(rules, next, input);
  return next;
}

test("the paddle moves left and right, and stops at the edges", () => {
  const rules = smallRules();
  const state = newGame(rules, 1);
  assert.equal(state.paddle.x, 3.5);
  assert.ok(step(rules, state, "left").paddle.x < 3.5);
  assert.equal(after(100, state, { input: "right" }).paddle.x, 7 - 1.5);
  assert.equal(step(rules, state, "down").paddle.x, 3.5);
});

test("the ball waits on the paddle, until a second is over or it is served", () => {
  const rules = smallRules();
  const state = newGame(rules, 1);
  const moved = step(rules, state, "left");
  assert.equal(moved.ball.x, moved.paddle.x);
  assert.equal(moved.ball.y, 8 - paddleHeight - ballRadius);
  assert.ok(step(rules, state, "up").ball.y < state.ball.y);
  assert.ok(after(70, state).ball.y < state.ball.y);
});

test("the ball turns at the sides and at the top", () => {
  const left = after(5, stage({ x: 0.4, y: 4, dx: -0.6, dy: -0.8 }));
  assert.ok(left.ball.dx > 0 && left.ball.dy < 0);
  const right = after(5, stage({ x: 6.6, y: 4, dx: 0.6, dy: -0.8 }));
  assert.ok(right.ball.dx < 0);
  assert.ok(after(5, stage({ x: 0.5, y: 0.4, dx: 0, dy: -1 })).ball.dy > 0);
});

test("a brick turns the ball, and breaks after as many hits as its kind takes", () => {
  const hit = after(6, stage({ x: 2.5, y: 1.8, dx: 0, dy: -1 }));
  assert.ok(hit.ball.dy > 0);
  assert.deepEqual([hit.collected, hit.points, hit.bricks.length], [{ clay: 1 }, 5, 2]);
  const first = after(6, stage({ x: 4.5, y: 1.8, dx: 0, dy: -1 }));
  assert.deepEqual([first.points, first.bricks.length], [0, 3]);
  const second = after(6, { ...first, ball: { x: 4.5, y: 1.8, dx: 0, dy: -1 } });
  assert.deepEqual([second.collected, second.points], [{ stone: 1 }, 9]);
});

test("a wall turns the ball and does not break", () => {
  const state = stage({ x: 2.5, y: 4.8, dx: 0, dy: -1 }, { walls: [{ column: 2, row: 3 }] });
  const next = after(6, state);
  assert.ok(next.ball.dy > 0);
  assert.equal(next.bricks.length, 3);
});

test("the paddle sends the ball up, and to the side on which it was met", () => {
  const above = 8 - paddleHeight - ballRadius - 0.1;
  const middle = after(3, stage({ x: 3.5, y: above, dx: 0, dy: 1 }));
  assert.ok(middle.ball.dy < 0 && Math.abs(middle.ball.dx) < 1e-9);
  assert.ok(after(3, stage({ x: 4.6, y: above, dx: 0, dy: 1 })).ball.dx > 0);
  assert.ok(after(3, stage({ x: 2.4, y: above, dx: 0, dy: 1 })).ball.dx < 0);
});

test("a ball that is missed costs a life, and another is served until none is left", () => {
  const missed = stage({ x: 6.5, y: 8, dx: 0, dy: 1 }, { paddle: { x: 1.5 } });
  const next = after(10, missed);
  assert.deepEqual([next.lives, next.status], [1, "playing"]);
  assert.ok(next.waitsUntil > next.tick - 10);
  assert.equal(after(10, { ...missed, lives: 1 }).status, "lost");
});

test("the ball cannot pass through a brick, however fast it is", () => {
  const rules = smallRules({ speed: { start: 30, growth: 0, max: 30 } });
  const next = after(4, stage({ x: 3.5, y: 2.5, dx: 0, dy: -1 }, {}, rules), { rules });
  assert.equal(next.collected.clay, 1);
});

test("power-ups fall from bricks, and the paddle takes them", () => {
  const rules = smallRules({ powerUps: [{ name: "wide", effect: "wide_paddle", every: 1, lastsSteps: 100 }] });
  const hit = after(6, stage({ x: 3.5, y: 1.8, dx: 0, dy: -1 }, {}, rules), { rules });
  assert.equal(hit.falling.length, 1);
  const low = { ...hit, falling: [{ kind: 0, x: hit.paddle.x, y: 8 - paddleHeight - 0.01 }] };
  const taken = step(rules, low, null);
  assert.deepEqual([taken.falling, paddleWidth(rules, taken)], [[], 4.5]);
  const missed = step(rules, { ...hit, falling: [{ kind: 0, x: hit.paddle.x, y: 7.99 }], paddle: { x: 6 } }, null);
  assert.deepEqual(missed.falling, []);
  assert.equal(paddleWidth(rules, missed), 3);
});

test("a step always takes as long, and the board is told in words", () => {
  assert.equal(stepMs(), 1000 / 60);
  assert.equal(describeBoard({}, stage({ x: 5.4 })), "3 bricks are left. The ball is 2 to the right of the paddle.");
  assert.equal(describeBoard({}, stage({}, { bricks: [{}] })), "1 brick is left. The ball is above the paddle.");
});
