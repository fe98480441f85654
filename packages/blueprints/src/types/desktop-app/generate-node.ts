import type { CompleteSpec } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";
import { type NodeProject, nodeProject } from "../../kit/node-project.ts";
import { recordFiles } from "../../kit/record-files.ts";
import { staticFiles, withShared } from "../../kit/static-files.ts";
import { healthScript } from "../../kit/static-server.ts";
import type { FileFormats } from "./read-files.ts";
import type { Menu } from "./read-menus.ts";
import type { readPackaging } from "./read-packaging.ts";
import type { Entity } from "./read-records.ts";
import type { AppWindow } from "./read-windows.ts";

export const templates = withShared(staticFiles(new URL("./files/", import.meta.url)), "src/records", recordFiles);

/** What the app keeps, its windows and menus, and how it is packed. */
export interface AppModel extends ReturnType<typeof readPackaging>, FileFormats {
  readonly name: string;
  readonly entities: readonly Entity[];
  readonly windows: readonly AppWindow[];
  readonly menus: readonly Menu[];
}

/** The app as a package of plain JavaScript: its server, its windows, what packs it, and its tests. */
export function generateNode(document: CompleteSpec, model: AppModel, pages: ReadonlyMap<string, string>): NodeProject {
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
  const files = () => {
    const set = project
      .files()
      .add(stylePath, `${templates.get(stylePath)}\n${minWidths(model.windows)}`)
      .add("src/model.js", 'export { model } from "./ui/model.js";')
      .add(
        "src/ui/model.js",
        `/** What the app keeps, its windows and menus, and how it is packed. */\nexport const model = ${literal(model)};`,
      )
      .add("scripts/health.js", healthScript);
    for (const { id, path } of model.windows)
      set.add(path === "/" ? "src/ui/index.html" : `src/ui/${id}.html`, pages.get(path)!);
    return set;
  };
  return { ...project, files };
}

const stylePath = "src/ui/style.css";

/** A browser window cannot have a minimum width, so its content scrolls below it. */
function minWidths(windows: readonly AppWindow[]): string {
  return windows.map(({ id, minWidth }) => `body[data-window="${id}"] {\n  min-width: ${minWidth}px;\n}`).join("\n\n");
}
