import assert from "node:assert/strict";
import { test } from "node:test";
import { carefulPlayer } from "#bots/careful.js";
import { quickRules, smallRules } from "#bots/small-rules.js";
import { describeProgress, wayBetween } from "#engine/describe.js";
import { newGame, rulesOf, step } from "#engine/game.js";
import { goalTexts, statusOf } from "#engine/goal.js";
import { scoreOf, speedOf, worth } from "#engine/measures.js";
import { dueKinds, isActive, takePowerUp } from "#engine/power-ups.js";
import { nextRandom, shuffle } from "#engine/random.js";

/** As much of a state as the rules of every genre look at. */
function stateWith(changes = {}) {
  return { status: "playing", tick: 0, lives: 2, points: 0, count: 0, collected: {}, effects: {}, level: 0, ...changes };
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

test("a level that is won is followed by the next, with lives and points; the last one wins the game", () => {
  const rules = quickRules({ levels: [{ name: "One" }, { name: "Two", speed: { start: 20, growth: 0, max: 20 } }] });
  const player = carefulPlayer();
  let state = newGame(rules, 1);
  while (state.level === 0) state = step(rules, state, player(rules, state));
  assert.equal(state.status, "playing");
  assert.deepEqual([state.tick, state.count, state.lives], [0, 0, rules.lives]);
  assert.ok(state.points > rules.scoring.perLevel);
  assert.equal(speedOf(rulesOf(rules, 1), state), 20);
  const carried = state.points;
  while (state.status === "playing") state = step(rules, state, player(rules, state));
  assert.equal(state.status, "won");
  assert.ok(state.points >= carried + rules.scoring.perLevel);
  assert.equal(step(rules, state, "up"), state);
});

test("a step changes nothing of the state that it was given", () => {
  const rules = smallRules();
  const state = newGame(rules, 2);
  const before = structuredClone(state);
  step(rules, state, "up");
  assert.deepEqual(state, before);
});

test("all of the goal must be reached, before lives and steps run out", () => {
  const rules = (goal) => ({ goal: { wins: [], maxSteps: null, ...goal } });
  const wins = [{ collected: "a", count: 2 }, { score: 50 }, { steps: 10 }, { length: 3 }];
  const reached = stateWith({ collected: { a: 2 }, points: 50, tick: 10, body: [1, 2, 3] });
  assert.equal(statusOf(rules({ wins }), reached), "won");
  for (const lacking of [{ collected: { a: 1 } }, { points: 49 }, { tick: 9 }, { body: [1] }]) {
    assert.equal(statusOf(rules({ wins }), { ...reached, ...lacking }), "playing");
  }
  assert.equal(statusOf(rules({ wins }), { ...reached, lives: 0 }), "lost");
  assert.equal(statusOf(rules({ maxSteps: 10 }), reached), "lost");
  assert.equal(statusOf(rules({}), reached), "playing");
  assert.deepEqual(goalTexts(rules({ wins }), reached), ["2/2 a", "50/50 points", "10/10 steps", "3/3 tiles long"]);
});

test("the speed grows with what is taken, up to its limit, and is halved by slowness", () => {
  const rules = { speed: { start: 4, growth: 0.5, max: 6 } };
  assert.deepEqual([0, 1, 4, 9].map((count) => speedOf(rules, stateWith({ count }))), [4, 4.5, 6, 6]);
  assert.equal(speedOf(rules, stateWith({ effects: { slow: 5 } })), 2);
});

test("whoever has won gets points for lives and steps that are left", () => {
  const rules = { scoring: { perLevel: 0, perLifeLeft: 20, perStepLeft: 1 }, goal: { wins: [], maxSteps: 100 } };
  const state = stateWith({ points: 15, tick: 40 });
  assert.equal(scoreOf(rules, state), 15);
  assert.equal(scoreOf(rules, { ...state, status: "won" }), 15 + 2 * 20 + 60);
  const endless = { ...rules, goal: { wins: [], maxSteps: null } };
  assert.equal(scoreOf(endless, { ...state, status: "won" }), 15 + 2 * 20);
});

test("power-ups are due after every so many things, and work for a while", () => {
  const powerUp = (effect, every = 5) => ({ name: effect, effect, every, staysSteps: 9, lastsSteps: 10 });
  const rules = { powerUps: [powerUp("double_points"), powerUp("extra_life", 2), powerUp("shrink")] };
  assert.deepEqual(dueKinds(rules, 3, 4), [1]);
  assert.deepEqual(dueKinds(rules, 4, 5), [0, 2]);
  const state = stateWith({ tick: 3, body: [1, 2, 3, 4, 5] });
  const doubled = takePowerUp(rules, state, 0);
  assert.ok(isActive(doubled, "double_points"));
  assert.ok(!isActive({ ...doubled, tick: 13 }, "double_points"));
  assert.deepEqual([worth(10, doubled), worth(10, state)], [20, 10]);
  assert.equal(takePowerUp(rules, state, 1).lives, 3);
  assert.equal(takePowerUp(rules, state, 2).body.length, 2);
});

test("progress and ways are told in words", () => {
  const rules = { levels: [{}, {}], goal: { wins: [{ score: 9 }], maxSteps: null } };
  const state = stateWith({ lives: 1, points: 4, effects: { slow: 2 } });
  assert.equal(describeProgress(rules, state), "Level 1 of 2, 1 life, 4/9 points, everything is slow");
  assert.equal(wayBetween({ column: 4, row: 4 }, { column: 1, row: 6 }), "3 left and 2 down");
  assert.equal(wayBetween({ column: 4, row: 4 }, { column: 5, row: 3 }), "1 right and 1 up");
  assert.equal(wayBetween({ column: 4, row: 4 }, { column: 4, row: 4 }), "here");
});
