// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { testWithCoverage } from "./support/coverage.ts";
import { breakout, snake } from "./support/game-documents.ts";
import { expectWellFormedWith, replaceTexts, someTexts } from "./support/hostile-texts.ts";
import { expectTestsPass, runIn, startProject } from "./support/run-project.ts";

const example = await readExample("game");

const gameDocument = (fields: Record<string, unknown>) =>
  documentOf("game", { id: "small-game", name: "Small game", description: "A game.", ...fields });

test("the example is healthy while it is served", { tags: "long" }, async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const address = await startProject(folder, built.scripts["start"]!);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
  expect((await runIn(folder, `PORT=1 ${built.scripts["health_check"]}`)).exitCode).toBe(1);
});

test("a level has the game's goal where it says nothing itself, and a goal that no level has is told", async () => {
  const play = (levels: object[]) =>
    buildDocument(
      gameDocument({
        gameplay: { genre: "snake", levels, goal: { lose_when: { steps: 300 }, win_when: { length: 8 } } },
      }),
    );
  const some = await play([{ goal: { win_when: { score: 50 } } }, { goal: { lose_when: { steps: 90 } } }]);
  expect(unmetOf(some)).toEqual([]);
  const source = some.files.get("engine/rules.js")!.text;
  const { rules } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
    rules: { levels: object[] };
  };
  expect(rules.levels.map((level) => ({ ...rules, ...level }))).toMatchObject([
    { goal: { wins: [{ score: 50 }], maxSteps: 300 } },
    { goal: { wins: [{ length: 8 }], maxSteps: 90 } },
  ]);
  const none = await play([{ goal: { win_when: { score: 50 } } }]);
  expect(unmetOf(none).map(({ pointer }) => pointer)).toEqual(["/gameplay/goal/win_when"]);
});

test("a snake with walls, growing speed, levels, power-ups and high scores is all built, and its bot wins it", {
  tags: "long",
}, async () => {
  const built = await buildDocument(snake);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  const { coverage, stdout } = await testWithCoverage(folder);
  for (const name of [
    "the game with seed 1 can be won",
    "the game with seed 2 can be lost",
    "in level 3 the speed starts, grows and ends as its rules say",
    "in level 1 walls are deadly, and edges are solid",
  ])
    expect(stdout).toContain(name);
  expect(coverage).toBeGreaterThanOrEqual(0.85);
  const { rules } = (await import(join(folder, "engine/rules.js"))) as { rules: { levels: { walls: unknown[] }[] } };
  expect(rules).toMatchObject({
    lives: 3,
    highScores: 10,
    board: { columns: 21, rows: 15, edges: "solid" },
    speed: { start: 5, growth: 0.25, max: 14 },
    levels: [
      { name: "Meadow", goal: { wins: [{ collected: "apple", count: 5 }] } },
      { name: "Orchard", speed: { start: 7, growth: 0.25, max: 14 }, obstacles: [{ name: "stone", count: 12 }] },
      { name: "Maze", speed: { start: 8 }, goal: { wins: [{}, { length: 12 }], maxSteps: 2000 } },
    ],
  });
  expect(rules.levels[2]?.walls).toHaveLength(32);
  const page = built.files.get("web/index.html")!.text;
  for (const part of ['id="scores"', 'data-move="up"', 'aria-live="polite"']) expect(page).toContain(part);
});

test("a breakout with drawn bricks, lives and power-ups is all built, and its bot wins it", async () => {
  const built = await buildDocument(breakout);
  expect(unmetOf(built)).toEqual([]);
  const { coverage, stdout } = await testWithCoverage(await writeOut(built));
  expect(stdout).toContain("the game with seed 5 can be won");
  expect(stdout).toContain("in level 2 each brick takes the hits and gives the points of its rules");
  expect(coverage).toBeGreaterThanOrEqual(0.85);
});

test("hazards that chase and wander, edges that wrap, power-ups and a layout of one's own are honoured", {
  tags: "long",
}, async () => {
  const built = await buildDocument(
    gameDocument({
      scripts: { start: "node src/server.js", test: "npm run check", health_check: "npm run health" },
      gameplay: {
        board: { columns: 12, rows: 9, edges: "wrap" },
        collectibles: [
          { name: "pearl", count: 5 },
          { name: "shell", count: 2, points: 50 },
        ],
        hazards: [
          { name: "shark", count: 1, moves: "wander", tiles_per_step: 0.5 },
          { name: "eel", count: 1, moves: "chase", tiles_per_step: 0.25, on_touch: "lose_game" },
        ],
        power_ups: [{ name: "bubble", effect: "shield", every: 2 }],
        obstacles: [{ name: "coral", count: 6 }],
        goal: { win_when: [{ collected: "pearl", count: 4 }, { collected: "shell" }], lose_when: [{ lives: 0 }] },
        playtests: { winnable_seeds: [3, 4], losable_seeds: [3, 4] },
      },
      acceptance: {
        tests: [{ file: "spec/unit/*.spec.js", type: "unit" }],
        http_endpoints: [{ path: "/web/main.js" }, { path: "/nowhere", status: 404 }],
      },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  expect([...built.files.keys()]).toContain("spec/unit/engine.spec.js");
  const folder = await writeOut(built);
  const tested = await runIn(folder, built.scripts["test"]!);
  expect(tested.exitCode, tested.stdout).toBe(0);
  expect(tested.stdout).toContain("the game with seed 4 can be won");
  const address = await startProject(folder, "node src/server.js");
  expect(await checkLines(built, folder, address)).toBe(2);
});

test("nothing of acceptance gets into the game", async () => {
  const withLines = (acceptance: object) => gameDocument({ gameplay: parse(snake).gameplay, acceptance });
  const plain = await buildDocument(withLines({ http_endpoints: [{ path: "/" }] }));
  const asking = await buildDocument(
    withLines({
      http_endpoints: [{ path: "/", status: 201, response_contains: "Insert coin" }, { path: "/leaderboard" }],
      gameplay: { winnable_seeds: [9] },
    }),
  );
  expect(asking.files).toEqual(plain.files);
  const unmet = unmetOf(asking).map(({ pointer }) => pointer);
  expect(unmet).toEqual(["/acceptance/http_endpoints/0", "/acceptance/http_endpoints/1", "/acceptance/gameplay"]);
});

test("what a genre does not know, and what cannot be reached, is reported; the game is sound without it", {
  tags: "long",
}, async () => {
  const built = await buildDocument(
    gameDocument({
      stack: { language: "typescript", rendering: "webgl", sound: "chiptune" },
      gameplay: {
        genre: "snake",
        weather: "rain",
        hazards: [{ name: "fox" }],
        layout: "..x..\n.....",
        power_ups: [{ effect: "shield" }],
        palette: { mouse: "#ffffff" },
        snake: { start: { column: 40, row: 1 } },
        levels: [{ name: "One" }, { name: "Two", goal: { win_when: { collected: "mouse" } }, music: "loud" }],
        playtests: { winnable_seeds: [1] },
      },
    }),
  );
  expect(
    unmetOf(built)
      .map(({ pointer }) => pointer)
      .toSorted(),
  ).toEqual(
    [
      "/gameplay/hazards",
      "/gameplay/layout",
      "/gameplay/levels/0",
      "/gameplay/levels/1/goal/win_when",
      "/gameplay/levels/1/music",
      "/gameplay/palette/mouse",
      "/gameplay/playtests/winnable_seeds",
      "/gameplay/power_ups/0",
      "/gameplay/snake/start",
      "/gameplay/weather",
      "/stack/language",
      "/stack/rendering",
      "/stack/sound",
    ].toSorted(),
  );
  for (const { pointer } of unmetOf(built)) expect(built.files.get("README.md")!.text).toContain(pointer);
  await expectTestsPass(built);
});

test("a misspelled key or word of the rules is found where it stands, with what was meant", () => {
  const text = `spec_version: "1.0.0"
id: wrong
name: Wrong
description: Wrong.
outcome_type: game
stack: {}
acceptance: {}
gameplay:
  genre: snakes
  bord: { columns: 20 }
  board: { columns: "20", edges: wrapp }
  speed: { start: 300 }
`;
  const found = parseSpec(text).diagnostics.map(({ line, code, suggestion }) => [line, code, suggestion]);
  expect(found).toEqual([
    [9, "not_allowed", "Did you mean 'snake'?"],
    [10, "misspelled_key", "Did you mean 'board'?"],
    [11, "wrong_type", "Write 20, without quotes."],
    [11, "not_allowed", "Did you mean 'wrap'?"],
    [12, "out_of_range", "Write 30 or less."],
  ]);
});

test("a document that says almost nothing becomes a game, too", { tags: "long" }, async () => {
  const built = await buildDocument(gameDocument({}));
  expect(unmetOf(built)).toEqual([expect.objectContaining({ pointer: "/description" })]);
  await expectTestsPass(built);
});

test("phases of the work: after every task the game is whole, in whatever order the tasks are done", async () => {
  const phased = gameDocument({
    phases: { rules: { features: ["The rules"] }, look: { features: ["The look"], depends_on: ["rules"] } },
  });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the game's tests notice broken engines", { tags: "long" }, async () => {
  for (const [text, path, from, to] of [
    [example, "engine/measures.js", "scoring.perLifeLeft * lives", "scoring.perLifeLeft"],
    [snake, "engine/step-level.js", "state.growing + growth", "state.growing"],
    [breakout, "engine/step-level.js", "brick.hits > 1", "brick.hits > 2"],
  ] as const) {
    const folder = await writeOut(await buildDocument(text));
    const source = await readFile(join(folder, path), "utf8");
    expect(source).toContain(from);
    await writeFile(join(folder, path), source.replace(from, to));
    expect((await runIn(folder, "node --test '**/{game,rules}.test.js'")).exitCode, path).not.toBe(0);
  }
});

test("whatever texts a document has, every file of the game is well formed", async () => {
  const rulesOf = [example, snake, breakout].map((text) => parse(text).gameplay);
  await expectWellFormedWith(
    ([name, description], choose) => {
      const { genre, board, snake: hero, ...gameplay } = rulesOf[name!.length % 3];
      const changed = replaceTexts(withoutWords(gameplay), (text) => choose(text) || "x") as object;
      return gameDocument({ name, description, gameplay: { genre, board, snake: hero, ...changed } });
    },
    { numRuns: 60 },
  );
});

test("a game with hostile names still passes its tests", { tags: "long" }, async () => {
  const names = [
    "__proto__",
    "constructor",
    "</script><script>alert(1)</script>",
    ["`$", "{process.exit(1)}`"].join(""),
    "a\u2028b\n'\"\\",
  ];
  const { genre, board, ...gameplay } = parse(example).gameplay;
  const changed = replaceTexts(withoutWords(gameplay), someTexts(names, 2)) as object;
  await expectTestsPass(await buildDocument(gameDocument({ name: names[2], gameplay: { genre, board, ...changed } })));
});

/** Rules without the values that are words of the vocabulary or colours, which would be refused if they were others. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== "object" || value === null) return value;
  const words = ["moves", "axis", "on_touch", "touch", "palette", "power_ups", "mark", "facing"];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !words.includes(key))
      .map(([key, member]) => [key, withoutWords(member)]),
  );
}
