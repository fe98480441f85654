import type { CompleteSpec } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";
import { type NodeProject, nodeProject } from "../../kit/node-project.ts";
import { fieldsOf, numberOf } from "../../kit/read-value.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { healthScript } from "../../kit/static-server.ts";
import type { Entity } from "./read-entities.ts";
import type { Menu } from "./read-menus.ts";
import type { readPackaging } from "./read-packaging.ts";
import type { readWindow } from "./read-window.ts";

export const templates = staticFiles(new URL("./files/", import.meta.url));

/** What the app keeps, its window and menus, and how it is packed. */
export interface AppModel extends ReturnType<typeof readPackaging> {
  readonly name: string;
  readonly entities: readonly Entity[];
  readonly window: ReturnType<typeof readWindow>;
  readonly menus: readonly Menu[];
}

/** The app as a package of plain JavaScript: its server, its window, what packs it, and its tests. */
export function generateNode(document: CompleteSpec, model: AppModel, page: string): NodeProject {
  const project = nodeProject(document, templates, {
    testGlobs: { unit: "test/unit/*.test.js", integration: "test/integration/*.test.js" },
    commands: {
      build: "node scripts/build.js",
      start: "node src/serve.js",
      health_check: "node scripts/health.js",
    },
    more: { app: "node src/main.js" },
    version: /^\d+\.\d+\.\d+$/.test(model.version) ? model.version : "1.0.0",
    folders: ["src", "scripts"],
    // The first with SQLite built in, without a flag.
    manifest: { engines: { node: ">=22.13" } },
    written: [stylePath],
  });
  const files = () =>
    project
      .files()
      // A browser window cannot have a minimum width, so its content scrolls below it.
      .add(stylePath, `${templates.get(stylePath)}\nbody {\n  min-width: ${model.window.minWidth}px;\n}`)
      .add("src/model.js", 'export { model } from "./ui/model.js";')
      .add(
        "src/ui/model.js",
        `/** What the app keeps, its window and menus, and how it is packed. */\nexport const model = ${literal(model)};`,
      )
      .add("src/ui/index.html", page)
      .add("scripts/health.js", healthScript)
      .add("scripts/promises.js", promisesModule(document));
  return { ...project, files };
}

const stylePath = "src/ui/style.css";

function promisesModule({ acceptance }: CompleteSpec): string {
  const packageMaxKb = numberOf(fieldsOf(acceptance)["package_size_max_kb"], 1000, { min: 0 });
  return `/** What the tests hold the packed app to. */\nexport const promises = { packageMaxKb: ${packageMaxKb} };`;
}
