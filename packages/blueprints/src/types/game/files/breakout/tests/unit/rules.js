import assert from "node:assert/strict";
import { test } from "node:test";
import { newGame, rulesOf, step } from "#engine/game.js";
import { speedOf } from "#engine/measures.js";
import { newLevel } from "#engine/new-level.js";
import { rules } from "#engine/rules.js";
import { stepLevel } from "#engine/step-level.js";

const levels = rules.levels.map((_, level) => rulesOf(rules, level));
const begin = (level) => newLevel(level, { random: 1, lives: rules.lives, points: 0 });

for (const [index, level] of levels.entries()) {
  const which = rules.levels.length === 1 ? "the game" : `level ${index + 1}`;

  test(`${which} begins with the bricks of its rules, none in a wall and none on another`, () => {
    const { bricks } = begin(level);
    assert.ok(bricks.length > 0);
    const taken = [...bricks, ...level.walls].map(({ column, row }) => `${column}/${row}`);
    assert.equal(new Set(taken).size, taken.length);
    for (const { column, row } of bricks) assert.ok(column < rules.board.columns && row < rules.board.rows - 2);
  });

  test(`in ${which} each brick takes the hits and gives the points of its rules`, () => {
    for (const [kind, { name, hits, points }] of level.bricks.entries()) {
      const brick = { column: 2, row: 2, kind, hits };
      let state = { ...begin(level), waitsUntil: 0, walls: [], bricks: [brick] };
      for (let hit = 1; hit <= hits; hit += 1) {
        assert.equal(state.points, 0);
        state = { ...state, ball: { x: 2.5, y: 3.31, dx: 0, dy: -1 } };
        while (state.ball.dy < 0) state = stepLevel(level, state, null);
      }
      assert.deepEqual([state.points, state.collected[name], state.bricks], [points, 1, []]);
    }
  });

  test(`in ${which} the ball's speed starts, grows and ends as its rules say`, () => {
    const { start, growth, max } = level.speed;
    const speedAfter = (count) => speedOf(level, { ...begin(level), count });
    assert.deepEqual([speedAfter(0), speedAfter(1)], [Math.min(start, max), Math.min(start + growth, max)]);
    assert.ok(speedAfter(10_000) <= max);
  });
}

test("the game begins at the first level, with all lives and no points", () => {
  const { level, lives, points } = newGame(rules, rules.seed);
  assert.deepEqual([level, lives, points], [0, rules.lives, 0]);
  assert.equal(step(rules, newGame(rules, rules.seed), null).tick, 1);
});
