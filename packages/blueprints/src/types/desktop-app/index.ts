import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { type Answer, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { fieldsOf } from "../../kit/read-value.ts";
import { titleOf } from "../../kit/title.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode, templates } from "./generate-node.ts";
import { generatePage } from "./generate-page.ts";
import { type Entity, readEntities } from "./read-entities.ts";
import { readMenus } from "./read-menus.ts";
import { readPackaging } from "./read-packaging.ts";
import { readWindow } from "./read-window.ts";

/** A window over a local server, packed as one folder with a launcher for each system. */
export const desktopApp: OutcomeType = outcomeTypeFromLines("desktop-app", ["javascript"], design);

function design(document: CompleteSpec): Design {
  const unmet: Unmet[] = [];
  const entities = readEntities(document, unmet);
  const window = readWindow(document, entities, unmet);
  const menus = readMenus(document, window.list.of, unmet);
  const packaging = readPackaging(document, unmet);
  const page = generatePage(document, window, menus);
  const model = { name: titleOf(document), ...packaging, entities, window, menus };
  const project = generateNode(document, model, page);
  const launcher = `./${packaging.folder}/${packaging.launchers.linux}`;
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack(document, { window: /^browser/i, styling: /^css$/i, storage: /^files?$/i, framework: /^none$/i }),
      ...project.unmet,
      ...unmetLines(acceptanceLines(document), {
        answer: (method, path) => answer(entities, page, method, path),
        tests: ["unit", "integration"],
        framework: "node:test",
        runs: (command) => project.runs(command) || command === launcher || command.startsWith(`${launcher} `),
        unmetCheck: (check) => (knownChecks.includes(check) ? [] : undefined),
      }),
      ...unmetWork(document),
      ...unmetDescription(fieldsOf(document)["data_model"] !== undefined, "Without 'data_model' it keeps notes."),
    ],
    chapters: [howItIsMade(packaging.folder)],
    files: project.files,
  };
}

const knownChecks = [
  "package_size_max_kb",
  "health_check_timeout_seconds",
  "deployment_time_max_minutes",
  "zero_downtime",
];

/** What the app answers, as far as that does not depend on its records. */
function answer(entities: readonly Entity[], page: string, method: string, path: string): Answer {
  const [name = ""] = path.split("?");
  const isRead = method === "GET" || method === "HEAD";
  const pages: Readonly<Record<string, string>> = { "/": page, "/health": '{"status":"ok"}\n' };
  if (Object.hasOwn(pages, name)) return isRead ? { status: 200, body: pages[name]! } : { status: 405 };
  if (name === "/api/quit") return { status: method === "POST" ? 202 : 405 };
  for (const entity of entities) {
    if (name === entity.path) return isRead ? { status: 200 } : method === "POST" ? undefined : { status: 405 };
    if (name.startsWith(`${entity.path}/`)) return method === "POST" ? { status: 405 } : undefined;
    if (name === `${entity.path}.md` || name === `${entity.path}.json`) return { status: isRead ? 200 : 405 };
  }
  const file = templates.get(`src${name}`);
  return /^\/ui\/[\w-]+\.(?:js|css)$/.test(name) && (file !== undefined || name === "/ui/model.js")
    ? { status: 200 }
    : { status: 404 };
}

function howItIsMade(folder: string): string {
  return `
## How it is made

- \`npm run app\` opens the window: a browser without its bars, over a server that only this computer reaches.
- \`npm run build\` packs it into \`${folder}\`, with a launcher for each system. Who starts it needs Node 22.13 or newer.
- \`src/\`: \`ui/model.js\` says what is kept and what the window and its menus have; \`server.js\` and \`store.js\` keep it, as plain JSON
  in one folder; \`ui/\` is the window.
- \`npm start\` serves it without a window on \`HOST\` and \`PORT\`, with its records in \`SLIPWAY_DATA_DIR\`, else
  \`DATA_DIR\`, else \`data/\`. It may run twice on one folder, such as two versions while one takes over.`;
}
