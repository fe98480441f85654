import assert from "node:assert/strict";
import { test } from "node:test";
import { smallRules } from "#bots/small-rules.js";
import { distance, neighbour, reachable, tileKey } from "#engine/board.js";
import { lightRadius, scoreOf } from "#engine/measures.js";
import { newGame } from "#engine/new-game.js";
import { nextRandom, shuffle } from "#engine/random.js";
import { step, tilesIn } from "#engine/step.js";

/** A game of the small rules with nothing in the way, and what the test puts there. */
function stage(changes = {}, rules = smallRules()) {
  const empty = { obstacles: [], blocked: new Set(), collectibles: [], hazards: [] };
  return { ...newGame(rules, 1), ...empty, ...changes };
}

test("the same state gives the same random number, from 0 up to 1", () => {
  assert.deepEqual(nextRandom(7), nextRandom(7));
  let state = 1;
  for (let count = 0; count < 1000; count += 1) {
    const next = nextRandom(state);
    assert.ok(next.value >= 0 && next.value < 1);
    state = next.state;
  }
  assert.deepEqual([...shuffle([1, 2, 3, 4], 5).list].sort(), [1, 2, 3, 4]);
});

test("a board ends at its edges, or goes on at the other side", () => {
  const solid = { columns: 4, rows: 3, edges: "solid" };
  const wrap = { ...solid, edges: "wrap" };
  assert.equal(neighbour(solid, { column: 0, row: 0 }, "left"), undefined);
  assert.deepEqual(neighbour(wrap, { column: 0, row: 0 }, "left"), { column: 3, row: 0 });
  assert.equal(distance(solid, { column: 0, row: 0 }, { column: 3, row: 2 }), 5);
  assert.equal(distance(wrap, { column: 0, row: 0 }, { column: 3, row: 2 }), 2);
});

test("obstacles close off no tile, and nothing lies on another", () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const rules = smallRules({ obstacles: [{ name: "wall", count: 12, mayCloseOff: false }] });
    const state = newGame(rules, seed);
    const tiles = reachable(rules.board, state.player, state.blocked);
    assert.equal(tiles.size, 7 * 5 - state.obstacles.length);
    const taken = [...state.obstacles, ...state.collectibles, state.player].map((thing) => tileKey(rules.board, thing));
    assert.equal(new Set(taken).size, taken.length);
    assert.equal(state.collectibles.length, 3);
  }
});

test("obstacles may close off tiles where the rules allow it, and what is collected stays within reach", () => {
  const rules = smallRules({ obstacles: [{ name: "wall", count: 20, mayCloseOff: true }] });
  for (let seed = 0; seed < 30; seed += 1) {
    const state = newGame(rules, seed);
    const within = reachable(rules.board, state.player, state.blocked);
    assert.equal(state.obstacles.length, 20);
    assert.ok(state.collectibles.every((coin) => within.has(tileKey(rules.board, coin))));
  }
});

test("a step changes nothing of the state that it was given", () => {
  const rules = smallRules();
  const state = newGame(rules, 2);
  const before = structuredClone(state);
  step(rules, state, "up");
  assert.deepEqual(state, before);
});

test("the player moves, and stops at obstacles and edges", () => {
  const rules = smallRules();
  const state = stage();
  assert.equal(step(rules, state, "left").player.column, 2);
  assert.equal(step(rules, state, null).player.column, 3);
  assert.equal(step(rules, state, "sideways").player.column, 3);
  const blocked = new Set([tileKey(rules.board, { column: 2, row: 2 })]);
  assert.equal(step(rules, { ...state, blocked }, "left").player.column, 3);
  let atEdge = state;
  for (let ticks = 0; ticks < 5; ticks += 1) atEdge = step(rules, atEdge, "up");
  assert.equal(atEdge.player.row, 0);
});

test("half a tile a tick is one tile every other tick", () => {
  assert.deepEqual([0, 1, 2, 3].map((tick) => tilesIn(tick, 0.5)), [0, 1, 0, 1]);
  assert.deepEqual([0, 1, 2].map((tick) => tilesIn(tick, 2)), [2, 2, 2]);
});

test("what lies on the player's tile is collected, and counts", () => {
  const rules = smallRules();
  const state = stage({ collectibles: [{ name: "coin", column: 2, row: 2 }] });
  const next = step(rules, state, "left");
  assert.deepEqual(next.collected, { coin: 1 });
  assert.equal(next.points, 5);
  assert.deepEqual(next.collectibles, []);
});

test("a hazard that is met costs a life, and for a while no second one", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], moves: "still" }] });
  let state = stage({ hazards: [{ name: "ghost", kind: 0, column: 2, row: 2, facing: "left" }] });
  state = step(rules, state, "left");
  assert.equal(state.player.lives, 1);
  state = step(rules, state, null);
  state = step(rules, state, null);
  assert.equal(state.player.lives, 1);
  state = step(rules, state, null);
  assert.equal(state.player.lives, 0);
  assert.equal(state.status, "lost");
  assert.equal(step(rules, state, "left"), state);
});

test("player and hazard cannot pass through each other", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], tilesPerTick: 1 }] });
  const state = stage({ hazards: [{ name: "ghost", kind: 0, column: 2, row: 2, facing: "right" }] });
  assert.equal(step(rules, state, "left").player.lives, 1);
});

test("some hazards end the game at once", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], moves: "still", onTouch: "lose_game" }] });
  const state = stage({ hazards: [{ name: "ghost", kind: 0, column: 2, row: 2, facing: "left" }] });
  assert.equal(step(rules, state, "left").status, "lost");
});

test("a hazard on patrol turns round where it cannot go on", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], tilesPerTick: 1 }] });
  let state = stage({ hazards: [{ name: "ghost", kind: 0, column: 1, row: 0, facing: "left" }] });
  const columns = [];
  for (let ticks = 0; ticks < 4; ticks += 1) {
    state = step(rules, state, null);
    columns.push(state.hazards[0].column);
  }
  assert.deepEqual(columns, [0, 1, 2, 3]);
});

test("a hazard that chases comes nearer, one that wanders stays on the board", () => {
  const chase = smallRules({ hazards: [{ ...smallRules().hazards[0], moves: "chase", tilesPerTick: 1 }] });
  const start = stage({ hazards: [{ name: "ghost", kind: 0, column: 0, row: 0, facing: "left" }] });
  const next = step(chase, start, null);
  assert.equal(distance(chase.board, next.hazards[0], next.player), 4);
  const wander = smallRules({ hazards: [{ ...chase.hazards[0], moves: "wander" }] });
  let state = start;
  for (let ticks = 0; ticks < 50; ticks += 1) state = step(wander, state, null);
  const [{ column, row }] = state.hazards;
  assert.ok(column >= 0 && column < 7 && row >= 0 && row < 5);
  assert.notEqual(state.random, start.random);
});

test("the light shrinks to a least, and grows with what is carried", () => {
  const rules = smallRules();
  assert.equal(lightRadius(rules, { tick: 0, collected: {} }), 4);
  assert.equal(lightRadius(rules, { tick: 25, collected: { coin: 2 } }), 3);
  assert.equal(lightRadius(rules, { tick: 500, collected: {} }), 1);
  assert.equal(lightRadius({ light: null }, { tick: 0, collected: {} }), undefined);
});

test("whoever has won gets points for lives and time that are left", () => {
  const rules = smallRules();
  const state = { ...stage(), points: 15, tick: 40 };
  assert.equal(scoreOf(rules, state), 15);
  assert.equal(scoreOf(rules, { ...state, status: "won" }), 15 + 2 * 20 + 60);
  const endless = smallRules({ goal: { ...rules.goal, maxTicks: null } });
  assert.equal(scoreOf(endless, { ...state, status: "won" }), 15 + 2 * 20);
});
