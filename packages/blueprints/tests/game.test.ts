import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
import { expectWellFormedWith, replaceTexts, someTexts } from "./support/hostile-texts.ts";
import { expectTestsPass, runIn, startProject } from "./support/run-project.ts";

const example = await readExample("game");

const gameDocument = (fields: Record<string, unknown>) =>
  documentOf("game", { id: "small-game", name: "Small game", description: "A game.", ...fields });

test("the example becomes a game whose tests win and lose it, and that is served as promised", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const { coverage, stdout } = await testWithCoverage(folder);
  expect(stdout).toContain("the game with seed 42 can be lost");
  expect(coverage).toBeGreaterThanOrEqual(0.85);
  const address = await startProject(folder, built.scripts["start"]!);
  expect(await checkLines(built, folder, address)).toBe(3);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
  expect((await runIn(folder, `PORT=1 ${built.scripts["health_check"]}`)).exitCode).toBe(1);
});

test("a document that says almost nothing becomes a game, too", async () => {
  const built = await buildDocument(gameDocument({}));
  expect(unmetOf(built)).toEqual([expect.objectContaining({ pointer: "/description" })]);
  await expectTestsPass(built);
});

test("hazards that chase and wander, edges that wrap and a layout of one's own are honoured", async () => {
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
          { name: "shark", count: 1, moves: "wander", tiles_per_tick: 0.5 },
          { name: "eel", count: 1, moves: "chase", tiles_per_tick: 0.25, on_touch: "lose_game" },
        ],
        obstacles: [{ name: "coral", count: 6 }],
        goal: { win_when: [{ collected: "pearl", count: 4 }, { collected: "shell" }], lose_when: [{ lives: 0 }] },
      },
      acceptance: {
        tests: [{ file: "spec/unit/*.spec.js", type: "unit" }],
        http_endpoints: [{ path: "/web/main.js" }, { path: "/nowhere", status: 404 }],
        gameplay: { winnable_seeds: [3, 4], losable_seeds: [3, 4] },
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

test("what is not known of games is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    gameDocument({
      stack: { language: "typescript", rendering: "webgl", sound: "chiptune" },
      gameplay: { genre: "racing", players: 2, weather: "rain", hazards: [], goal: { win_when: { laps: 3 } } },
      acceptance: {
        http_endpoints: [{ path: "/leaderboard" }, { path: "/", response_contains: "Insert coin" }],
        gameplay: { losable_seeds: [1] },
        fun: "a lot",
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual(
    [
      "/acceptance/fun",
      "/acceptance/gameplay/losable_seeds",
      "/acceptance/http_endpoints/0",
      "/acceptance/http_endpoints/1",
      "/gameplay/genre",
      "/gameplay/goal/win_when",
      "/gameplay/players",
      "/gameplay/weather",
      "/stack/language",
      "/stack/rendering",
      "/stack/sound",
    ].toSorted(),
  );
  for (const pointer of pointers) expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("phases of the work: after every task the game is whole, in whatever order the tasks are done", async () => {
  const phased = gameDocument({
    phases: { rules: { features: ["The rules"] }, look: { features: ["The look"], depends_on: ["rules"] } },
  });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the game's tests notice a broken engine", async () => {
  const folder = await writeOut(await buildDocument(example));
  const file = join(folder, "engine/measures.js");
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace("scoring.perLifeLeft * player.lives", "scoring.perLifeLeft"));
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
});

test("whatever texts a document has, every file of the game is well formed", async () => {
  const whole = parse(example);
  await expectWellFormedWith(
    ([name, description], choose) =>
      gameDocument({ name, description, gameplay: replaceTexts(whole.gameplay, choose) }),
    { numRuns: 60 },
  );
});

test("a game with hostile names still passes its tests", async () => {
  const names = [
    "__proto__",
    "constructor",
    "</script><script>alert(1)</script>",
    ["`$", "{process.exit(1)}`"].join(""),
    "a\u2028b\n'\"\\",
  ];
  const gameplay = replaceTexts(parse(example).gameplay, someTexts(names, 2));
  await expectTestsPass(await buildDocument(gameDocument({ name: names[2], gameplay })));
});
