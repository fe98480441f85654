import assert from "node:assert/strict";
import { test } from "node:test";
import { smallRules } from "#bots/small-rules.js";
import { distance, neighbour, reachable, tileKey } from "#engine/board.js";
import { newGame } from "#engine/game.js";
import { layPowerUps, takeLying } from "#engine/place.js";
import { between } from "#web/grid.js";

test("a board ends at its edges, or goes on at the other side", () => {
  const solid = { columns: 4, rows: 3, edges: "solid" };
  const wrap = { ...solid, edges: "wrap" };
  assert.equal(neighbour(solid, { column: 0, row: 0 }, "left"), undefined);
  assert.deepEqual(neighbour(wrap, { column: 0, row: 0 }, "left"), { column: 3, row: 0 });
  assert.equal(distance(solid, { column: 0, row: 0 }, { column: 3, row: 2 }), 5);
  assert.equal(distance(wrap, { column: 0, row: 0 }, { column: 3, row: 2 }), 2);
});

/** A game in which obstacles stand around a start, with a wall in a corner. */
function crowded(count, mayCloseOff, seed) {
  const rules = smallRules({ walls: [{ column: 0, row: 0 }], obstacles: [{ name: "rock", count, mayCloseOff }] });
  const start = (rules.player ?? rules.snake).start;
  return { rules, start, state: newGame(rules, seed) };
}

test("obstacles close off no tile, and nothing lies on another", () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const { rules, start, state } = crowded(12, false, seed);
    assert.ok(state.obstacles.some(({ name, column, row }) => name === "wall" && column === 0 && row === 0));
    assert.equal(reachable(rules.board, start, state.blocked).size, 7 * 5 - state.obstacles.length);
    const taken = [...state.obstacles, ...state.collectibles, start].map((thing) => tileKey(rules.board, thing));
    assert.equal(new Set(taken).size, taken.length);
  }
});

test("obstacles may close off tiles where the rules allow it, and what is collected stays within reach", () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const { rules, start, state } = crowded(15, true, seed);
    const within = reachable(rules.board, start, state.blocked);
    assert.equal(state.obstacles.length, 16);
    assert.ok(state.collectibles.every((coin) => within.has(tileKey(rules.board, coin))));
  }
});

test("what helps lies on a free tile for a while, until it is taken", () => {
  const rules = smallRules({ powerUps: [{ name: "heart", effect: "extra_life", every: 2, staysSteps: 5, lastsSteps: 1 }] });
  const state = { ...newGame(rules, 1), count: 2 };
  const isFree = ({ column, row }) => column === 6 && row === 4;
  const laid = layPowerUps(rules, state, 1, isFree);
  assert.deepEqual(laid.lying, [{ column: 6, row: 4, kind: 0, untilTick: 5 }]);
  assert.deepEqual(layPowerUps(rules, state, 1, () => false).lying, []);
  assert.deepEqual(layPowerUps(rules, { ...laid, tick: 5 }, 2, isFree).lying, []);
  const taken = takeLying(rules, laid, { column: 6, row: 4 });
  assert.deepEqual([taken.lives, taken.lying], [state.lives + 1, []]);
});

test("things glide from tile to tile, but not across the whole board", () => {
  assert.deepEqual(between({ column: 1, row: 1 }, { column: 2, row: 1 }, 0.5), { column: 1.5, row: 1 });
  assert.deepEqual(between({ column: 0, row: 1 }, { column: 6, row: 1 }, 0.5), { column: 6, row: 1 });
});
