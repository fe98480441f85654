import assert from "node:assert/strict";
import { test } from "node:test";
import { smallRules } from "#bots/small-rules.js";
import { newGame, step } from "#engine/game.js";
import { newSnake } from "#engine/new-level.js";
import { describeBoard } from "#engine/view.js";

/** A game of the small rules, with what the test puts there. */
function stage(changes = {}, rules = smallRules()) {
  return { ...newGame(rules, 1), collectibles: [{ name: "apple", column: 0, row: 0 }], ...changes };
}

test("the snake goes on by itself, turns, and never back into its neck", () => {
  const rules = smallRules();
  const state = stage();
  assert.deepEqual(state.body.map(({ column }) => column), [3, 2, 1]);
  assert.deepEqual(step(rules, state, null).body[0], { column: 4, row: 2 });
  assert.deepEqual(step(rules, state, "up").body[0], { column: 3, row: 1 });
  assert.deepEqual(step(rules, state, "left").body[0], { column: 4, row: 2 });
  assert.equal(step(rules, state, "sideways").facing, "right");
});

test("food gives points and length, and new food appears", () => {
  const rules = smallRules();
  const next = step(rules, stage({ collectibles: [{ name: "apple", column: 4, row: 2 }] }), null);
  assert.deepEqual([next.points, next.collected, next.growing], [5, { apple: 1 }, 1]);
  assert.equal(next.collectibles.length, 1);
  assert.ok(!next.body.some(({ column, row }) => column === next.collectibles[0].column && row === next.collectibles[0].row));
  assert.equal(step(rules, next, null).body.length, 4);
});

test("an edge, a wall and its own body each cost a life", () => {
  const rules = smallRules();
  const atEdge = stage({ body: [{ column: 6, row: 2 }, { column: 5, row: 2 }] });
  const dead = step(rules, atEdge, null);
  assert.deepEqual([dead.lives, dead.status], [1, "playing"]);
  assert.deepEqual(dead.body[0], rules.snake.start);
  assert.equal(step(rules, { ...atEdge, lives: 1 }, null).status, "lost");
  assert.equal(step(rules, stage({ blocked: new Set([2 * 7 + 4]) }), null).lives, 1);
  const curled = [[3, 2], [3, 3], [4, 3], [4, 2], [4, 1]].map(([column, row]) => ({ column, row }));
  assert.equal(step(rules, stage({ body: curled, facing: "up" }), "right").lives, 1);
});

test("the last tile of the body moves away in time, unless the snake grows", () => {
  const rules = smallRules();
  const ring = [[3, 2], [3, 3], [4, 3], [4, 2]].map(([column, row]) => ({ column, row }));
  assert.equal(step(rules, stage({ body: ring, facing: "up", growing: 0 }), "right").lives, 2);
  assert.equal(step(rules, stage({ body: ring, facing: "up", growing: 1 }), "right").lives, 1);
});

test("where edges wrap, the snake comes out on the other side", () => {
  const rules = smallRules({ board: { ...smallRules().board, edges: "wrap" } });
  const next = step(rules, stage({ body: [{ column: 6, row: 2 }] }, rules), null);
  assert.deepEqual([next.body[0], next.lives], [{ column: 0, row: 2 }, 2]);
});

test("a snake that does not fit behind its head grows in its first steps", () => {
  const rules = smallRules({ snake: { start: { column: 1, row: 2 }, length: 4, facing: "right" } });
  const { body, growing } = newSnake(rules, new Set());
  assert.deepEqual([body.length, growing], [2, 2]);
});

test("a board without room for food is won", () => {
  const tiles = Array.from({ length: 35 }, (_, key) => {
    const row = Math.floor(key / 7);
    return { column: row % 2 === 0 ? key % 7 : 6 - (key % 7), row };
  }).reverse();
  const [goal, ...body] = tiles;
  const rules = smallRules({ goal: { wins: [], maxSteps: null } });
  const state = stage({ body, facing: "right", growing: 1, collectibles: [{ ...goal, name: "apple" }] }, rules);
  assert.equal(step(rules, state, "right").status, "won");
});

test("what the player sees is told in words", () => {
  assert.equal(
    describeBoard(smallRules(), stage()),
    "The snake is 3 tiles long and goes right. The nearest apple: 3 left and 2 up.",
  );
  assert.equal(describeBoard(smallRules(), stage({ collectibles: [] })), "The snake is 3 tiles long and goes right.");
});
