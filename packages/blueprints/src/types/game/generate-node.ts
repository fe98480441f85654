import type { CompleteSpec } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";
import { type NodeProject, nodeProject } from "../../kit/node-project.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { staticServer } from "../../kit/static-server.ts";
import type { Game, Genre } from "./model.ts";

const all = staticFiles(new URL("./files/", import.meta.url));

/** Which folders of templates a genre is made of. */
const folders: Readonly<Record<Genre, readonly string[]>> = {
  "collect-and-avoid": ["common/", "grid/", "collect-and-avoid/"],
  snake: ["common/", "grid/", "snake/"],
  breakout: ["common/", "breakout/"],
};

const composed = new Map<Genre, ReadonlyMap<string, string>>();

/** The templates of a genre, by their path in the result. */
export function templatesOf(genre: Genre): ReadonlyMap<string, string> {
  const known = composed.get(genre);
  if (known !== undefined) return known;
  const files = [...all].flatMap(([path, text]) => {
    const folder = folders[genre].find((one) => path.startsWith(one));
    return folder === undefined ? [] : [[path.slice(folder.length), text] as const];
  });
  const templates = new Map(files);
  composed.set(genre, templates);
  return templates;
}

/** The game as a package of plain JavaScript: its rules, page, engine, bots, server and tests. */
export function generateNode(document: CompleteSpec, { genre, rules, playtests }: Game, page: string): NodeProject {
  const project = nodeProject(document, templatesOf(genre), {
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
      .add(
        "bots/seeds.js",
        `/** Seeds of games that the tests play: which must be won, and which lost. */\nexport const seeds = ${literal(playtests)};`,
      )
      .add("web/index.html", page)
      .addAll(staticServer({ "/": "web/index.html", "/index.html": "web/index.html" }, ["engine", "web"]));
  return { ...project, files };
}
