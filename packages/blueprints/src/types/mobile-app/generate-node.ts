import type { CompleteSpec } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";
import { type NodeProject, nodeProject } from "../../kit/node-project.ts";
import type { Entity } from "../../kit/read-entities.ts";
import { recordFiles } from "../../kit/record-files.ts";
import { staticFiles, withShared } from "../../kit/static-files.ts";
import { staticServer } from "../../kit/static-server.ts";
import { titleOf } from "../../kit/title.ts";
import { iconBytes, iconOf, iconsOf, vectorIcon } from "./generate-icons.ts";
import { generateManifest, generatePage, generateTheme, generateWorker } from "./generate-shell.ts";
import type { Install } from "./read-install.ts";
import type { Navigation, Screen } from "./read-screens.ts";

const templates = withShared(staticFiles(new URL("./files/", import.meta.url)), "app/records", recordFiles);

export interface AppModel {
  readonly entities: readonly Entity[];
  readonly screens: readonly Screen[];
  readonly navigation: Navigation;
  readonly install: Install;
}

/** The app's files by the path they are served at. */
type Served = ReadonlyMap<string, { readonly file: string; readonly content: string | Uint8Array }>;

interface MobileProject extends NodeProject {
  readonly served: Served;
  /** The source of the service worker, which caches what is served. */
  readonly worker: string;
}

/** The app as a package of plain JavaScript: its pages, service worker, server and tests. */
export function generateNode(document: CompleteSpec, model: AppModel): MobileProject {
  const app = appFiles(document, model);
  const contents = new Map([...app].map(([path, { content }]) => [path, content] as const));
  const worker = generateWorker(document.id, contents);
  const project = nodeProject(document, templates, {
    testGlobs: { unit: "test/unit/*.test.js", e2e: "test/e2e/*.test.js" },
    commands: {
      build: "node --check app/main.js && node --check sw.js",
      start: "node server/main.js",
      health_check: "node server/health.js",
    },
    folders: ["app", "server"],
    written: [stylePath],
  });
  const pages = Object.fromEntries(
    [...app].filter(([path, { file }]) => path !== `/${file}`).map(([path, { file }]) => [path, file]),
  );
  const files = () => {
    const set = project.files();
    for (const { file, content } of app.values()) set.add(file, content);
    return set
      .add("sw.js", worker)
      .addAll(
        staticServer({ ...pages, "/sw.js": "sw.js", "/manifest.webmanifest": "manifest.webmanifest" }, [
          "app",
          "icons",
        ]),
      );
  };
  return { ...project, files, served: app, worker };
}

const stylePath = "app/style.css";
const samplePath = "app/sample-model.js";

/** All that the app needs offline; the service worker caches it. */
function appFiles(document: CompleteSpec, { entities, screens, navigation, install }: AppModel): Served {
  const model = { id: document.id, name: titleOf(document), entities, screens };
  const served = new Map<string, { readonly file: string; readonly content: string | Uint8Array }>();
  for (const screen of screens) {
    const content = generatePage(document, screen, navigation, install);
    served.set(screen.path, { file: `pages/${screen.id}.html`, content });
  }
  const add = (file: string, content: string | Uint8Array) => served.set(`/${file}`, { file, content });
  add("manifest.webmanifest", generateManifest(document, install));
  add(vectorIcon, iconOf(install));
  for (const icon of iconsOf(install)) add(icon.path, iconBytes(install, icon));
  add("app/model.js", `/** What the app keeps, and its screens. */\nexport const model = ${literal(model)};`);
  for (const [path, text] of templates)
    if (path.startsWith("app/") && path !== samplePath && path !== stylePath) add(path, text);
  add(stylePath, `${generateTheme(install)}\n\n${templates.get(stylePath)}`);
  return served;
}
