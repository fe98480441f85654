import assert from "node:assert/strict";
import { test } from "node:test";
import { directions, neighbour, tileKey } from "#engine/board.js";
import { newGame, rulesOf, step } from "#engine/game.js";
import { lightRadius } from "#engine/light.js";
import { speedOf } from "#engine/measures.js";
import { newLevel } from "#engine/new-level.js";
import { rules } from "#engine/rules.js";
import { stepLevel } from "#engine/step-level.js";

const levels = rules.levels.map((_, level) => rulesOf(rules, level));
const begin = (level) => newLevel(level, { random: 1, lives: rules.lives, points: 0 });

for (const [index, level] of levels.entries()) {
  const which = rules.levels.length === 1 ? "the game" : `level ${index + 1}`;

  test(`${which} begins with what its rules say`, () => {
    const state = begin(level);
    for (const wall of level.walls) assert.ok(state.blocked.has(tileKey(level.board, wall)));
    for (const { name, count } of level.hazards) {
      assert.ok(state.hazards.filter((hazard) => hazard.name === name).length <= count, name);
    }
    assert.ok(state.collectibles.length > 0);
    assert.equal(lightRadius(level, state), level.light === null ? undefined : Math.max(level.light.startsTiles, level.light.minTiles));
  });

  test(`in ${which} everything that is collected counts as its rules say`, () => {
    for (const { name, points } of level.collectibles) {
      const state = begin(level);
      const here = { ...state.player, name };
      const next = stepLevel(level, { ...state, hazards: [], collectibles: [here] }, null);
      assert.deepEqual([next.points, next.collected[name], next.count], [points, 1, 1]);
    }
  });

  test(`in ${which} everything that hurts costs what its rules say`, () => {
    for (const [kind, { name, onTouch }] of level.hazards.entries()) {
      const state = begin(level);
      const still = { ...level, hazards: level.hazards.map((hazard) => ({ ...hazard, moves: "still" })) };
      const there = { ...state, hazards: [{ ...state.player, name, kind, facing: "left" }] };
      assert.equal(stepLevel(still, there, null).lives, onTouch === "lose_game" ? 0 : rules.lives - 1);
    }
  });

  test(`in ${which} the speed starts, grows and ends as its rules say`, () => {
    const { start, growth, max } = level.speed;
    const speedAfter = (count) => speedOf(level, { ...begin(level), count });
    assert.deepEqual([speedAfter(0), speedAfter(1)], [Math.min(start, max), Math.min(start + growth, max)]);
    assert.ok(speedAfter(10_000) <= max);
  });
}

test("the player goes only where the rules let it go", () => {
  const state = { ...begin(levels[0]), hazards: [] };
  for (const direction of Object.keys(directions)) {
    const tile = neighbour(rules.board, rules.player.start, direction);
    const isOpen = tile !== undefined && !state.blocked.has(tileKey(rules.board, tile));
    const moved = stepLevel(levels[0], { ...state, tick: Math.ceil(1 / rules.player.tilesPerStep) - 1 }, direction).player;
    const hasMoved = moved.column !== rules.player.start.column || moved.row !== rules.player.start.row;
    assert.equal(hasMoved, isOpen && rules.player.moves.includes(direction), direction);
  }
});

test("the game begins at the first level, with all lives and no points", () => {
  const { level, lives, points } = newGame(rules, rules.seed);
  assert.deepEqual([level, lives, points], [0, rules.lives, 0]);
  assert.equal(step(rules, newGame(rules, rules.seed), null).tick, 1);
});
