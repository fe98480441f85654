import type { NodeProject } from "../../kit/node-project.ts";
import { type Abilities, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType } from "../../plugin.ts";
import { generateNode, templatesOf } from "./generate-node.ts";
import { generatePage } from "./generate-page.ts";
import type { Genre } from "./model.ts";
import { readGame } from "./read-game.ts";

/** A playable game on a canvas, of one of several genres; its engine is pure and seeded, and its tests play it. */
export const game: OutcomeType = outcomeType("game", ["javascript"], design);

function design(document: DocumentToBuild<"game">): Design {
  const { game: asked, unmet } = readGame(document);
  const page = generatePage(document, asked.rules);
  const project = generateNode(document, asked, page);
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack(document, { rendering: /^canvas(?:[- ]?2d)?$/i, sound: /^none$/i, framework: /^none$/i }),
      ...project.unmet,
      ...unmetWork(document),
      ...unmetDescription(
        document.gameplay !== undefined,
        "Without 'gameplay' it is a game of collecting, by the usual rules.",
      ),
    ],
    chapters: [howItIsMade],
    files: project.files,
    unmetLines: (lines) => unmetLines(lines, abilities(asked.genre, page, project)),
  };
}

function abilities(genre: Genre, page: string, project: NodeProject): Abilities {
  return {
    answer: (method, path) => {
      const [name] = path.split("?");
      if (method !== "GET" && method !== "HEAD") return { status: 405 };
      if (name === "/health") return { status: 200, body: '{"status":"ok"}\n' };
      if (name === "/" || name === "/index.html") return { status: 200, body: method === "HEAD" ? "" : page };
      const file = templatesOf(genre).get(name!.slice(1));
      const isServed = /^\/(?:engine|web)\//.test(name!);
      if (name === "/engine/rules.js") return { status: 200 };
      return isServed && file !== undefined ? { status: 200, body: file } : { status: 404 };
    },
    tests: ["unit", "integration"],
    framework: "node:test",
    runs: project.runs,
    unmetCheck: () => undefined,
  };
}

const howItIsMade = `
## How it is made

- \`engine/\`: the game as a pure function. \`newGame(rules, seed)\` is the first state, \`step(rules, state, move)\` the next;
  random numbers come from the seed and from nowhere else. The rules are data, in \`engine/rules.js\`.
- \`web/\`: the page, drawing, and keyboard, touch and gamepad. \`?seed=42\` in the address picks the game. What happens
  on the board is also said in words, and whoever asks for reduced motion sees no gliding or flicker. The browser keeps
  the best scores.
- \`bots/\`: players that win, lose and do nothing, which the tests let play.
- \`server/\`: a small server for these files. It listens on \`HOST\` and \`PORT\`.`;
