import type { CompleteSpec } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";
import { type NodeProject, nodeProject } from "../../kit/node-project.ts";
import { type Fields, fieldsOf, listOf, numberOf } from "../../kit/read-value.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { staticServer } from "../../kit/static-server.ts";
import { isLosable } from "./read-rules.ts";

export const templates = staticFiles(new URL("./files/", import.meta.url));

/** The game as a package of plain JavaScript: its rules, page, engine, bots, server and tests. */
export function generateNode(document: CompleteSpec, rules: Fields, page: string): NodeProject {
  const project = nodeProject(document, templates, {
    testGlobs: { unit: "test/unit/*.test.js", integration: "test/integration/*.test.js" },
    commands: {
      build: "node --check web/main.js && node --check server/main.js",
      start: "node server/main.js",
      health_check: "node server/health.js",
    },
    folders: ["engine", "bots", "web", "server"],
  });
  const files = () =>
    project
      .files()
      .add("engine/rules.js", `/** The rules of this game, as data. */\nexport const rules = ${literal(rules)};`)
      .add("bots/seeds.js", seedsModule(document, rules))
      .add("web/index.html", page)
      .addAll(staticServer({ "/": "web/index.html", "/index.html": "web/index.html" }, ["engine", "web"]));
  return { ...project, files };
}

/** The games that the tests play to the end, and the time that a tick may take. */
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
