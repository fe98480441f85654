import assert from "node:assert/strict";
import { test } from "node:test";
import { idlePlayer } from "#bots/idle.js";
import { play } from "#bots/play.js";
import { smallRules } from "#bots/small-rules.js";
import { distance, tileKey } from "#engine/board.js";
import { newGame, step } from "#engine/game.js";
import { lightRadius } from "#engine/light.js";
import { tilesIn } from "#engine/step-level.js";
import { describeBoard } from "#engine/view.js";

/** A game of the small rules with nothing in the way, and what the test puts there. */
function stage(changes = {}, rules = smallRules()) {
  const empty = { obstacles: [], blocked: new Set(), collectibles: [], hazards: [] };
  return { ...newGame(rules, 1), ...empty, ...changes };
}

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

test("half a tile a step is one tile every other step", () => {
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
  assert.equal(state.lives, 1);
  state = step(rules, state, null);
  state = step(rules, state, null);
  assert.equal(state.lives, 1);
  state = step(rules, state, null);
  assert.equal(state.lives, 0);
  assert.equal(state.status, "lost");
  assert.equal(step(rules, state, "left"), state);
});

test("player and hazard cannot pass through each other", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], tilesPerStep: 1 }] });
  const state = stage({ hazards: [{ name: "ghost", kind: 0, column: 2, row: 2, facing: "right" }] });
  assert.equal(step(rules, state, "left").lives, 1);
});

test("some hazards end the game at once", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], moves: "still", onTouch: "lose_game" }] });
  const state = stage({ hazards: [{ name: "ghost", kind: 0, column: 2, row: 2, facing: "left" }] });
  assert.equal(step(rules, state, "left").status, "lost");
});

test("a hazard on patrol turns round where it cannot go on", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], tilesPerStep: 1 }] });
  let state = stage({ hazards: [{ name: "ghost", kind: 0, column: 1, row: 0, facing: "left" }] });
  const columns = [];
  for (let ticks = 0; ticks < 4; ticks += 1) {
    state = step(rules, state, null);
    columns.push(state.hazards[0].column);
  }
  assert.deepEqual(columns, [0, 1, 2, 3]);
});

test("a hazard that chases comes nearer, one that wanders stays on the board", () => {
  const chase = smallRules({ hazards: [{ ...smallRules().hazards[0], moves: "chase", tilesPerStep: 1 }] });
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
  assert.equal(lightRadius(rules, { tick: 0, count: 0 }), 4);
  assert.equal(lightRadius(rules, { tick: 25, count: 2 }), 3);
  assert.equal(lightRadius(rules, { tick: 500, count: 0 }), 1);
  assert.equal(lightRadius({ light: null }, { tick: 0, count: 0 }), undefined);
});

test("a shield keeps harm away while it works", () => {
  const rules = smallRules({ hazards: [{ ...smallRules().hazards[0], moves: "still" }] });
  const ghost = { name: "ghost", kind: 0, column: 2, row: 2, facing: "left" };
  const state = stage({ hazards: [ghost], effects: { shield: 5 } });
  assert.equal(step(rules, state, "left").lives, rules.lives);
  assert.equal(step(rules, { ...state, effects: {} }, "left").lives, rules.lives - 1);
});

test("who does nothing runs out of time, if nothing else happens before", () => {
  const quiet = smallRules({ hazards: [] });
  const end = play(quiet, 1, idlePlayer());
  assert.equal(end.status, "lost");
  assert.equal(end.tick, quiet.goal.maxSteps);
});

test("what the player sees is told in words", () => {
  const coin = { name: "coin", column: 5, row: 2 };
  const ghost = { name: "ghost", kind: 0, column: 3, row: 0, facing: "left" };
  const state = stage({ collectibles: [{ ...coin, column: 0, row: 0 }, coin], hazards: [ghost] });
  assert.equal(describeBoard(smallRules(), state), "The nearest coin: 2 right. Beware of the ghost: 2 up.");
  assert.equal(describeBoard(smallRules(), stage()), "Nothing is left to collect.");
});
