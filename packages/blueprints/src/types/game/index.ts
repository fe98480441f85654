import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import type { NodeProject } from "../../kit/node-project.ts";
import { type Abilities, unknownKeys, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { type Fields, fieldsOf } from "../../kit/read-value.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType } from "../../plugin.ts";
import { generateNode, templates } from "./generate-node.ts";
import { generatePage } from "./generate-page.ts";
import { isLosable, readRules } from "./read-rules.ts";

/** A playable game of collecting and avoiding on a canvas; its engine is pure and seeded, and its tests play it. */
export const game: OutcomeType = outcomeTypeFromLines("game", ["javascript"], design);

function design(document: CompleteSpec): Design {
  const { rules, unmet } = readRules(document);
  const page = generatePage(document, rules);
  const project = generateNode(document, rules, page);
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack(document, { rendering: /^canvas(?:[- ]?2d)?$/i, sound: /^none$/i, framework: /^none$/i }),
      ...project.unmet,
      ...unmetLines(acceptanceLines(document), abilities(page, project, rules)),
      ...unmetWork(document),
      ...unmetDescription(
        fieldsOf(document)["gameplay"] !== undefined,
        "Without 'gameplay' it is a game of collecting and avoiding, by the usual rules.",
      ),
    ],
    chapters: [howItIsMade],
    files: project.files,
  };
}

function abilities(page: string, project: NodeProject, rules: Fields): Abilities {
  return {
    answer: (method, path) => {
      const [name] = path.split("?");
      if (method !== "GET" && method !== "HEAD") return { status: 405 };
      if (name === "/health") return { status: 200, body: '{"status":"ok"}\n' };
      if (name === "/" || name === "/index.html") return { status: 200, body: method === "HEAD" ? "" : page };
      const file = templates.get(name!.slice(1));
      const isServed = /^\/(?:engine|web)\//.test(name!);
      if (name === "/engine/rules.js") return { status: 200 };
      return isServed && file !== undefined ? { status: 200, body: file } : { status: 404 };
    },
    tests: ["unit", "integration"],
    framework: "node:test",
    runs: project.runs,
    unmetCheck: (name, value, pointer) => {
      if (["health_check_timeout_seconds", "deployment_time_max_minutes", "zero_downtime"].includes(name)) return [];
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
