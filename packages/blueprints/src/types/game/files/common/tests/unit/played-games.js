import assert from "node:assert/strict";
import { test } from "node:test";
import { carefulPlayer } from "#bots/careful.js";
import { carelessPlayer } from "#bots/careless.js";
import { idlePlayer } from "#bots/idle.js";
import { play } from "#bots/play.js";
import { seeds } from "#bots/seeds.js";
import { smallRules } from "#bots/small-rules.js";
import { rules } from "#engine/rules.js";

for (const seed of seeds.winnable) {
  test(`the game with seed ${seed} can be won`, () => {
    const end = play(rules, seed, carefulPlayer());
    assert.equal(end.status, "won");
    assert.equal(end.level, rules.levels.length - 1);
  });
}

for (const seed of seeds.losable) {
  test(`the game with seed ${seed} can be lost`, () => {
    const end = play(rules, seed, carelessPlayer());
    assert.equal(end.status, "lost");
  });
}

test("a small game is won by a careful player and lost by a careless one", () => {
  assert.equal(play(smallRules(), 4, carefulPlayer()).status, "won");
  assert.equal(play(smallRules(), 4, carelessPlayer()).status, "lost");
});

test("the same seed and the same moves give the same game", () => {
  const games = [1, 2].map(() => play(rules, rules.seed, carefulPlayer(), 200));
  assert.deepEqual(games[0], games[1]);
});

test("other seeds give other games", () => {
  const [one, other] = [1, 2].map((seed) => play(rules, seed, idlePlayer(), 0));
  assert.notEqual(one.random, other.random);
});
