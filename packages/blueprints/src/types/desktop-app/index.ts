import { type Answer, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { markdown } from "../../kit/quote.ts";
import { titleOf } from "../../kit/title.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { type AppModel, generateNode, templates } from "./generate-node.ts";
import { generatePages } from "./generate-page.ts";
import { readFiles } from "./read-files.ts";
import { readMenus } from "./read-menus.ts";
import { readPackaging } from "./read-packaging.ts";
import { readRecords } from "./read-records.ts";
import { readWindows } from "./read-windows.ts";

/** Windows over a local server, packed as one folder with a launcher for each system. */
export const desktopApp: OutcomeType = outcomeType("desktop-app", ["javascript"], design);

function design(document: DocumentToBuild<"desktop-app">): Design {
  const unmet: Unmet[] = [];
  const { entities, about } = readRecords(document, unmet);
  const windows = readWindows(document, entities, unmet);
  const files = readFiles(document);
  const menus = readMenus(document, entities, windows, files, unmet);
  const packaging = readPackaging(document, unmet);
  const model = { name: titleOf(document), ...packaging, entities, windows, menus, ...files };
  const pages = generatePages(document, windows, menus);
  const project = generateNode(document, model, pages);
  const launcher = `./${packaging.folder}/${packaging.launchers.linux}`;
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack(document, { window: /^browser/i, styling: /^css$/i, storage: /^files?$/i, framework: /^none$/i }),
      ...project.unmet,
      ...unmetWork(document),
      ...unmetDescription(document.data_model !== undefined, "Without 'data_model' it keeps notes."),
    ],
    chapters: [...about, howItIsMade(packaging.folder)],
    files: project.files,
    unmetLines: (lines) =>
      unmetLines(lines, {
        answer: (method, path) => answer(model, pages, method, path),
        tests: ["unit", "integration"],
        framework: "node:test",
        runs: (command) => (command === launcher || command.startsWith(`${launcher} `) ? true : project.runs(command)),
        unmetCheck: () => undefined,
      }),
  };
}

/** What the app answers, as far as that does not depend on its records. */
function answer(model: AppModel, pages: ReadonlyMap<string, string>, method: string, path: string): Answer {
  const [name = ""] = path.split("?");
  const isRead = method === "GET" || method === "HEAD";
  const page = name === "/health" ? '{"status":"ok"}\n' : pages.get(name);
  if (page !== undefined) return isRead ? { status: 200, body: page } : { status: 405 };
  if (name === "/api/quit") return { status: method === "POST" ? 202 : 405 };
  for (const entity of model.entities) {
    if (name === entity.path) return isRead ? { status: 200 } : method === "POST" ? undefined : { status: 405 };
    if (name.startsWith(`${entity.path}/`)) return method === "POST" ? { status: 405 } : undefined;
    const format = /^\.(csv|json|md)$/.exec(name.startsWith(entity.path) ? name.slice(entity.path.length) : "")?.[1];
    if (format === undefined) continue;
    const canRead = model.exports.includes(format === "md" ? "markdown" : format);
    if (isRead && canRead) return { status: 200 };
    if (method === "POST" && model.imports.includes(format)) return undefined;
    return { status: canRead || model.imports.includes(format) ? 405 : 404 };
  }
  const file = templates.get(`src${name}`);
  const isFile = /^\/(?:ui|records)\/[\w-]+\.(?:js|css)$/.test(name);
  return isFile && (file !== undefined || name === "/ui/model.js") ? { status: 200 } : { status: 404 };
}

function howItIsMade(folder: string): string {
  return `
## How it is made

- \`npm run app\` opens the window: a browser without its bars, over a server that only this computer reaches.
- \`npm run build\` packs it into \`${markdown(folder)}\`, with a launcher for each system. Who starts it needs Node 22.13 or newer.
- \`src/\`: \`ui/model.js\` says what is kept and what the windows and menus have; \`records/\` checks and computes;
  \`server.js\` and \`store.js\` keep it, as plain JSON in one folder; \`ui/\` is the window.
- \`npm start\` serves it without a window on \`HOST\` and \`PORT\`, with its records in \`SLIPWAY_DATA_DIR\`, else
  \`DATA_DIR\`, else \`data/\`. It may run twice on one folder, such as two versions while one takes over. Fields that
  are new get their defaults, renamed ones (\`was\`) keep their values, and those of removed ones stay in the files.`;
}
