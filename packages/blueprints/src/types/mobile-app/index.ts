import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { commonFiles } from "../../kit/common-files.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodePackage } from "../../kit/node-package.ts";
import { type Answer, notBuilt, unknownKeys, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Fields, fieldsOf, numberOf, textsOf } from "../../kit/read-value.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { staticServer } from "../../kit/static-server.ts";
import { placeTests, testCommand } from "../../kit/test-places.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { type Design, wholeType } from "../../kit/whole-type.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { readEntities } from "./read-entities.ts";
import { readNavigation, readScreens } from "./read-screens.ts";
import {
  iconBytes,
  iconOf,
  iconsOf,
  installOf,
  manifestOf,
  pageOf,
  promisesOf,
  themeCss,
  vectorIcon,
  workerOf,
} from "./shell.ts";

const files = staticFiles(new URL("./files/", import.meta.url));
const testGlobs = { unit: "test/unit/*.test.js", e2e: "test/e2e/*.test.js" };

/** An app for the home screen: installable, made for fingers, and whole without a signal. */
export const mobileApp: OutcomeType = wholeType("mobile-app", ["javascript"], designOf);

function designOf(document: CompleteSpec): Design {
  const unmet: Unmet[] = [];
  const entities = readEntities(document, unmet);
  const screens = readScreens(document, entities, unmet);
  const navigation = readNavigation(document, screens, unmet);
  const install = installOf(document, unmet);
  const promises = promisesOf(document);
  const name = document.name.trim() === "" ? document.id : document.name;
  const model = { id: document.id, name, entities, screens };
  const targetPx = Math.max(48, Math.ceil(numberOf(promises["targetMinPx"], 44, { max: 200 })));

  const served = new Map<string, { readonly file: string; readonly text: string | Uint8Array }>();
  for (const screen of screens)
    served.set(screen.path, { file: `pages/${screen.id}.html`, text: pageOf(document, screen, navigation, install) });
  served.set("/manifest.webmanifest", { file: "manifest.webmanifest", text: manifestOf(document, install) });
  const app = (path: string, text: string | Uint8Array) => served.set(`/${path}`, { file: path, text });
  app(vectorIcon, iconOf(install));
  for (const icon of iconsOf(install)) app(icon.path, iconBytes(install, icon));
  app("app/model.js", `/** What the app keeps, and its screens. */\nexport const model = ${literal(model)};`);
  for (const [path, text] of files)
    if (path.startsWith("app/") && path !== "app/sample-model.js" && path !== "app/style.css") app(path, text);
  app("app/style.css", `${themeCss(install, targetPx)}\n\n${files.get("app/style.css")}`);
  const kept = new Map([...served].map(([path, { text }]) => [path, text] as const));
  const worker = workerOf(document.id, kept);

  const { tests, unmet: unplaced } = placeTests(document, files, testGlobs);
  const project = nodePackage(document, {
    commands: {
      build: "node --check app/main.js && node --check sw.js",
      test: testCommand(tests.all.map(({ path }) => path)),
      start: "node server/main.js",
      health_check: "node server/health.js",
    },
    folders: ["app", "server"],
  });
  const answers = new Map([...kept].map(([path, content]) => [path, typeof content === "string" ? content : ""]));
  answers.set("/sw.js", worker).set("/health", '{"status":"ok"}\n');
  const all = [
    ...unmet,
    ...unknownStack(document, {
      platform: /^pwa$/i,
      styling: /^css$/i,
      storage: /^(?:browser|local|device)/i,
      framework: /^none$/i,
    }),
    ...project.unmet,
    ...unplaced,
    ...unmetLines(acceptanceLines(document), {
      answer: (method, path) => answer(answers, method, path),
      tests: ["unit", "e2e"],
      framework: "node:test",
      runs: project.runs,
      keeps: (check, value, pointer) => keeps(check, value, pointer, [...served.keys()], promises),
    }),
    ...unmetWork(document),
    ...unmetDescription(
      fieldsOf(document)["data_model"] !== undefined,
      "Without 'data_model' it keeps items with a name and notes.",
    ),
  ];
  const set = new FileSet().addAll(project.files).addAll(tests);
  for (const { file, text } of served.values()) set.add(file, text);
  const pages = Object.fromEntries(
    [...served].filter(([path, { file }]) => path !== `/${file}`).map(([path, { file }]) => [path, file]),
  );
  set
    .add("sw.js", worker)
    .add("app/sample-model.js", files.get("app/sample-model.js")!)
    .add("app/promises.js", `/** What the tests hold the app to. */\nexport const promises = ${literal(promises)};`)
    .addAll(
      staticServer({ ...pages, "/sw.js": "sw.js", "/manifest.webmanifest": "manifest.webmanifest" }, ["app", "icons"]),
    )
    .addAll(commonFiles(document, project.scripts, [howItIsMade, ...notBuilt(all)]));
  return { files: () => set, scripts: project.scripts, unmet: all };
}

function answer(answers: ReadonlyMap<string, string>, method: string, path: string): Answer {
  if (method !== "GET" && method !== "HEAD") return { status: 405 };
  const body = answers.get(path.split("?")[0]!);
  return body === undefined ? { status: 404 } : { status: 200, body };
}

function keeps(name: string, value: unknown, pointer: string, served: readonly string[], promises: Fields) {
  const known: Readonly<Record<string, readonly string[]>> = {
    offline: ["precached", "requests_to_other_hosts_max"],
    touch: ["target_min_px", "contrast_ratio_min"],
  };
  if (["first_load_max_kb", "health_check_timeout_seconds", "deployment_time_max_minutes"].includes(name)) return [];
  if (!Object.hasOwn(known, name)) return undefined;
  const unmet = [...unknownKeys(fieldsOf(value), known[name]!, pointer, "what an app's tests can show")];
  if (name === "offline")
    for (const path of textsOf(promises["precached"]))
      if (!served.includes(path))
        unmet.push({ pointer: `${pointer}/precached`, reason: `There is nothing at ${path}.` });
  return unmet;
}

const howItIsMade = `
## How it is made

- \`app/\`: the app. \`model.js\` says what is kept and which screens there are; \`records.js\` and \`views.js\` are pure functions of
  records and the day; \`boot.js\` puts them on the page, with taps, swipes and forms.
- \`pages/\`: a page for each screen, \`sw.js\`: keeps everything for when there is no signal, \`manifest.webmanifest\`: installing.
- \`server/\`: a small server for these files. It listens on \`HOST\` and \`PORT\`; any other server for files does as well.

To install it, open it in a browser on the phone and choose "Add to home screen". What is entered stays on the device.`;
