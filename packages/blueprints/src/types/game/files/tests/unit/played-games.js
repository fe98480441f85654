import assert from "node:assert/strict";
import { test } from "node:test";
import { carefulPlayer } from "#bots/careful.js";
import { carelessPlayer, idlePlayer } from "#bots/careless.js";
import { play } from "#bots/play.js";
import { promises } from "#bots/seeds.js";
import { smallRules } from "#bots/small-rules.js";
import { scoreOf } from "#engine/measures.js";
import { rules } from "#engine/rules.js";

for (const seed of promises.winnable) {
  test(`the game with seed ${seed} can be won`, () => {
    const end = play(rules, seed, carefulPlayer());
    assert.equal(end.status, "won");
    for (const { name, count } of rules.goal.collect) assert.ok(end.collected[name] >= count);
    assert.ok(scoreOf(rules, end) >= end.points);
  });
}

for (const seed of promises.losable) {
  test(`the game with seed ${seed} can be lost`, () => {
    const end = play(rules, seed, carelessPlayer());
    assert.equal(end.status, "lost");
  });
}

test("a small game is won by a careful player and lost by a careless one", () => {
  assert.equal(play(smallRules(), 4, carefulPlayer()).status, "won");
  assert.equal(play(smallRules(), 4, carelessPlayer()).status, "lost");
});

test("who does nothing runs out of time, if nothing else happens before", () => {
  const quiet = smallRules({ hazards: [] });
  const end = play(quiet, 1, idlePlayer());
  assert.equal(end.status, "lost");
  assert.equal(end.tick, quiet.goal.maxTicks);
});

test("the same seed and the same moves give the same game", () => {
  const games = [1, 2].map(() => play(rules, rules.defaultSeed, carefulPlayer(), 200));
  assert.deepEqual(games[0], games[1]);
});

test("other seeds give other games", () => {
  const [one, other] = [1, 2].map((seed) => play(rules, seed, idlePlayer(), 0));
  assert.notDeepEqual(one.collectibles, other.collectibles);
});

test(`a tick takes no more than ${promises.tickMaxMs} ms on average`, () => {
  const start = performance.now();
  const { tick } = play(rules, rules.defaultSeed, idlePlayer(), 500);
  const perTickMs = (performance.now() - start) / Math.max(tick, 1);
  assert.ok(perTickMs <= promises.tickMaxMs, `${perTickMs} ms`);
});
