import assert from "node:assert/strict";
import { test } from "node:test";
import { directions, neighbour, tileKey } from "#engine/board.js";
import { newGame, rulesOf, step } from "#engine/game.js";
import { speedOf } from "#engine/measures.js";
import { newLevel } from "#engine/new-level.js";
import { stepMs } from "#engine/pace.js";
import { rules } from "#engine/rules.js";
import { stepLevel } from "#engine/step-level.js";

const levels = rules.levels.map((_, level) => rulesOf(rules, level));
const begin = (level) => newLevel(level, { random: 1, lives: rules.lives, points: 0 });

for (const [index, level] of levels.entries()) {
  const which = rules.levels.length === 1 ? "the game" : `level ${index + 1}`;

  test(`${which} begins with the snake, the walls and the food of its rules`, () => {
    const state = begin(level);
    assert.equal(state.body.length + state.growing, rules.snake.length);
    assert.deepEqual(state.body[0], rules.snake.start);
    for (const wall of level.walls) assert.ok(state.blocked.has(tileKey(level.board, wall)));
    for (const { name, count } of level.collectibles) {
      assert.ok(state.collectibles.filter((food) => food.name === name).length <= count, name);
    }
    assert.ok(state.collectibles.length > 0);
  });

  test(`in ${which} all food counts and feeds as its rules say`, () => {
    for (const { name, points, growth } of level.collectibles) {
      const state = begin(level);
      const [ahead] = Object.keys(directions)
        .map((direction) => ({ direction, tile: neighbour(level.board, state.body[0], direction) }))
        .filter(({ tile }) => tile !== undefined && !state.blocked.has(tileKey(level.board, tile)));
      const alone = { ...state, body: [state.body[0]], growing: 0, collectibles: [{ ...ahead.tile, name }] };
      const next = stepLevel(level, alone, ahead.direction);
      assert.deepEqual([next.points, next.growing, next.collected[name]], [points, growth, 1]);
    }
  });

  test(`in ${which} the speed starts, grows and ends as its rules say`, () => {
    const { start, growth, max } = level.speed;
    const speedAfter = (count) => speedOf(level, { ...begin(level), count });
    assert.equal(speedAfter(0), Math.min(start, max));
    assert.equal(speedAfter(1), Math.min(start + growth, max));
    assert.ok(speedAfter(10_000) <= max);
    assert.equal(stepMs(level, begin(level)), 1000 / speedAfter(0));
  });

  test(`in ${which} walls are deadly, and edges are ${level.board.edges}`, () => {
    const { columns, edges } = level.board;
    const state = begin(level);
    const row = Array.from({ length: level.board.rows }, (_, at) => at).find(
      (at) => !state.blocked.has(at * columns) && !state.blocked.has(at * columns + columns - 1),
    );
    if (row === undefined) return assert.ok(state.blocked.size > 0);
    const atEdge = { ...state, body: [{ column: columns - 1, row }], facing: "right", growing: 0 };
    assert.equal(stepLevel(level, atEdge, "right").lives, edges === "solid" ? rules.lives - 1 : rules.lives);
  });
}

test("the game begins at the first level, with all lives and no points", () => {
  const { level, lives, points } = newGame(rules, rules.seed);
  assert.deepEqual([level, lives, points], [0, rules.lives, 0]);
  assert.equal(step(rules, newGame(rules, rules.seed), null).tick, 1);
});
