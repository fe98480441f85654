import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { commonFiles } from "../../kit/common-files.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { type NodePackage, nodePackage } from "../../kit/node-package.ts";
import { type Abilities, notBuilt, unknownKeys, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Fields, fieldsOf, listOf, numberOf } from "../../kit/read-value.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { staticServer } from "../../kit/static-server.ts";
import { placeTests, testCommand } from "../../kit/test-places.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { type Design, wholeType } from "../../kit/whole-type.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { pageOf } from "./generate-page.ts";
import { readRules } from "./read-rules.ts";

const files = staticFiles(new URL("./files/", import.meta.url));
const testGlobs = { unit: "test/unit/*.test.js", integration: "test/integration/*.test.js" };

/** A playable game of collecting and avoiding on a canvas; its engine is pure and seeded, and its tests play it. */
export const game: OutcomeType = wholeType("game", ["javascript"], designOf);

interface Parts {
  readonly rules: Fields;
  readonly page: string;
  readonly project: NodePackage;
  readonly unmet: readonly Unmet[];
}

function designOf(document: CompleteSpec): Design {
  const parts = partsOf(document);
  return { scripts: parts.project.scripts, unmet: parts.unmet, files: () => filesOf(document, parts) };
}

function partsOf(document: CompleteSpec): Parts {
  const { rules, unmet } = readRules(document);
  const page = pageOf(document, rules);
  const { tests, unmet: unplaced } = placeTests(document, files, testGlobs);
  const project = nodePackage(document, {
    commands: {
      build: "node --check web/main.js && node --check server/main.js",
      test: testCommand(tests.all.map(({ path }) => path)),
      start: "node server/main.js",
      health_check: "node server/health.js",
    },
    folders: ["engine", "bots", "web", "server"],
  });
  return {
    rules,
    page,
    project,
    unmet: [
      ...unmet,
      ...unknownStack(document, { rendering: /^canvas(?:[- ]?2d)?$/i, sound: /^none$/i, framework: /^none$/i }),
      ...project.unmet,
      ...unplaced,
      ...unmetLines(acceptanceLines(document), abilities(page, project, rules)),
      ...unmetWork(document),
      ...unmetDescription(
        fieldsOf(document)["gameplay"] !== undefined,
        "Without 'gameplay' it is a game of collecting and avoiding, by the usual rules.",
      ),
    ],
  };
}

function filesOf(document: CompleteSpec, { rules, page, project, unmet }: Parts): FileSet {
  const set = new FileSet().addAll(project.files).addAll(placeTests(document, files, testGlobs).tests);
  for (const [path, text] of files) if (!path.startsWith("tests/")) set.add(path, text);
  return set
    .add("engine/rules.js", `/** The rules of this game, as data. */\nexport const rules = ${literal(rules)};`)
    .add("bots/seeds.js", seedsModule(document, rules))
    .add("web/index.html", page)
    .addAll(staticServer({ "/": "web/index.html", "/index.html": "web/index.html" }, ["engine", "web"]))
    .addAll(commonFiles(document, project.scripts, [howItIsMade, ...notBuilt(unmet)]));
}

/** Which games the tests play to their end, and how fast a tick must be. */
function seedsModule(document: CompleteSpec, rules: Fields): string {
  const asked = fieldsOf(fieldsOf(document.acceptance)["gameplay"]);
  const seedsIn = (key: string) => listOf(asked[key]).filter((seed) => typeof seed === "number");
  const seeds = {
    winnable: seedsIn("winnable_seeds"),
    losable: isLosable(rules) ? seedsIn("losable_seeds") : [],
    tickMaxMs: numberOf(asked["tick_time_max_ms"], 8, { min: 0 }),
  };
  return `/** Seeds that must be winnable and losable, and how long a tick may take. */\nexport const promises = ${literal(seeds)};`;
}

function isLosable({ hazards, goal }: Fields): boolean {
  const canHurt = listOf(hazards).some((hazard) => numberOf(fieldsOf(hazard)["count"], 0) > 0);
  return canHurt || fieldsOf(goal)["maxTicks"] !== null;
}

function abilities(page: string, project: NodePackage, rules: Fields): Abilities {
  return {
    answer: (method, path) => {
      const [name] = path.split("?");
      if (method !== "GET" && method !== "HEAD") return { status: 405 };
      if (name === "/health") return { status: 200, body: '{"status":"ok"}\n' };
      if (name === "/" || name === "/index.html") return { status: 200, body: method === "HEAD" ? "" : page };
      const file = files.get(name!.slice(1));
      const isServed = /^\/(?:engine|web)\//.test(name!);
      if (name === "/engine/rules.js") return { status: 200 };
      return isServed && file !== undefined ? { status: 200, body: file } : { status: 404 };
    },
    tests: ["unit", "integration"],
    framework: "node:test",
    runs: project.runs,
    keeps: (name, value, pointer) => {
      if (name === "health_check_timeout_seconds" || name === "deployment_time_max_minutes") return [];
      if (name !== "gameplay") return undefined;
      const keys = ["winnable_seeds", "losable_seeds", "same_seed_same_game", "tick_time_max_ms"];
      const unknown = unknownKeys(fieldsOf(value), keys, pointer, "what a game's tests can show");
      if (fieldsOf(value)["losable_seeds"] === undefined || isLosable(rules)) return unknown;
      return [...unknown, { pointer: `${pointer}/losable_seeds`, reason: "By these rules no game can be lost." }];
    },
  };
}

const howItIsMade = `
## How it is made

- \`engine/\`: the game as a pure function. \`newGame(rules, seed)\` is the first state, \`step(rules, state, move)\` the next;
  random numbers come from the seed and from nowhere else. The rules are data, in \`engine/rules.js\`.
- \`web/\`: the page, drawing, and keyboard, swipes and gamepad. \`?seed=42\` in the address picks the game.
- \`bots/\`: players that win, lose and do nothing, which the tests let play.
- \`server/\`: a small server for these files. It listens on \`HOST\` and \`PORT\`.`;
