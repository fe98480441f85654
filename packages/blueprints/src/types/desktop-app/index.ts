import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { commonFiles } from "../../kit/common-files.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodePackage } from "../../kit/node-package.ts";
import { type Answer, notBuilt, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { fieldsOf, numberOf } from "../../kit/read-value.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { healthScript } from "../../kit/static-server.ts";
import { placeTests, testCommand } from "../../kit/test-places.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { type Design, wholeType } from "../../kit/whole-type.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { type Entity, readEntities, readPackaging } from "./model.ts";
import { pageOf, readMenus, readWindow } from "./window.ts";

const files = staticFiles(new URL("./files/", import.meta.url));
const testGlobs = { unit: "test/unit/*.test.js", integration: "test/integration/*.test.js" };

/** A window of its own over a local server, packed as one folder with a launcher for each system. */
export const desktopApp: OutcomeType = wholeType("desktop-app", ["javascript"], designOf);

function designOf(document: CompleteSpec): Design {
  const unmet: Unmet[] = [];
  const entities = readEntities(document, unmet);
  const window = readWindow(document, entities, unmet);
  const menus = readMenus(document, window.list.of, unmet);
  const packaging = readPackaging(document, unmet);
  const page = pageOf(document, window, menus);
  const name = document.name.trim() === "" ? document.id : document.name;
  const model = { name, ...packaging, entities, window, menus };
  const { tests, unmet: unplaced } = placeTests(document, files, testGlobs);
  const project = nodePackage(document, {
    commands: {
      build: "node scripts/build.js",
      test: testCommand(tests.all.map(({ path }) => path)),
      start: "node src/serve.js",
      health_check: "node scripts/health.js",
    },
    more: { app: "node src/main.js" },
    version: /^\d+\.\d+\.\d+$/.test(packaging.version) ? packaging.version : "1.0.0",
    folders: ["src", "scripts"],
  });
  const launcher = `./${packaging.folder}/${packaging.launchers.linux}`;
  const all = [
    ...unmet,
    ...unknownStack(document, { window: /^browser/i, styling: /^css$/i, storage: /^files?$/i, framework: /^none$/i }),
    ...project.unmet,
    ...unplaced,
    ...unmetLines(acceptanceLines(document), {
      answer: (method, path) => answer(entities, page, method, path),
      tests: ["unit", "integration"],
      framework: "node:test",
      runs: (command) => project.runs(command) || command === launcher || command.startsWith(`${launcher} `),
      keeps: (check) => (kept.includes(check) ? [] : undefined),
    }),
    ...unmetWork(document),
    ...unmetDescription(fieldsOf(document)["data_model"] !== undefined, "Without 'data_model' it keeps notes."),
  ];
  const set = new FileSet().addAll(project.files).addAll(tests);
  for (const [path, text] of files) if (!path.startsWith("tests/") && path !== stylePath) set.add(path, text);
  set
    // A browser's window can be made as narrow as one likes: what is in it then scrolls.
    .add(stylePath, `${files.get(stylePath)}\nbody {\n  min-width: ${window.minWidth}px;\n}`)
    .add("src/model.js", 'export { model } from "./ui/model.js";')
    .add(
      "src/ui/model.js",
      `/** What the app keeps, its window and menus, and how it is packed. */\nexport const model = ${literal(model)};`,
    )
    .add("src/ui/index.html", page)
    .add("scripts/health.js", healthScript)
    .add("scripts/promises.js", promisesModule(document))
    .addAll(commonFiles(document, project.scripts, [howItIsMade(packaging.folder), ...notBuilt(all)]));
  return { files: () => set, scripts: project.scripts, unmet: all };
}

const stylePath = "src/ui/style.css";
const kept = ["package_size_max_kb", "health_check_timeout_seconds", "deployment_time_max_minutes"];

function promisesModule({ acceptance }: CompleteSpec): string {
  const packageMaxKb = numberOf(fieldsOf(acceptance)["package_size_max_kb"], 1000, { min: 0 });
  return `/** What the tests hold the packed app to. */\nexport const promises = { packageMaxKb: ${packageMaxKb} };`;
}

/** What the app answers, as far as that does not depend on what was written into it. */
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
  const file = files.get(`src${name}`);
  return /^\/ui\/[\w-]+\.(?:js|css)$/.test(name) && (file !== undefined || name === "/ui/model.js")
    ? { status: 200 }
    : { status: 404 };
}

function howItIsMade(folder: string): string {
  return `
## How it is made

- \`npm run app\` opens the window: a browser without its bars, over a server that only this computer reaches.
- \`npm run build\` packs it into \`${folder}\`, with a launcher for each system. Who starts it needs Node 20 or newer.
- \`src/\`: \`ui/model.js\` says what is kept and what the window and its menus have; \`server.js\` and \`store.js\` keep it, as plain JSON
  in one folder; \`ui/\` is the window.
- \`npm start\` serves it without a window on \`HOST\` and \`PORT\`, with its records in \`data/\`.`;
}
