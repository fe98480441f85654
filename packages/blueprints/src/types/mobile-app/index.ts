import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { type Answer, unknownKeys, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, outcomeTypeFromLines } from "../../kit/outcome-type-from-lines.ts";
import { type Fields, fieldsOf, textsOf } from "../../kit/read-value.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode, type Served } from "./generate-node.ts";
import { readEntities } from "./read-entities.ts";
import { readInstall } from "./read-install.ts";
import { readPromises } from "./read-promises.ts";
import { readNavigation, readScreens } from "./read-screens.ts";

/** An app for the home screen: installable, made for touch, and fully usable offline. */
export const mobileApp: OutcomeType = outcomeTypeFromLines("mobile-app", ["javascript"], design);

function design(document: CompleteSpec): Design {
  const unmet: Unmet[] = [];
  const entities = readEntities(document, unmet);
  const screens = readScreens(document, entities, unmet);
  const navigation = readNavigation(document, screens, unmet);
  const install = readInstall(document, unmet);
  const promises = readPromises(document);
  const project = generateNode(document, { entities, screens, navigation, install, promises });
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack(document, knownStack),
      ...project.unmet,
      ...unmetLines(acceptanceLines(document), {
        answer: (method, path) => answer(project, method, path),
        tests: ["unit", "e2e"],
        framework: "node:test",
        runs: project.runs,
        unmetCheck: (check, value, pointer) => unmetCheck(check, value, pointer, project.served, promises),
      }),
      ...unmetWork(document),
      ...unmetDescription(
        fieldsOf(document)["data_model"] !== undefined,
        "Without 'data_model' it keeps items with a name and notes.",
      ),
    ],
    chapters: [howItIsMade],
    files: project.files,
  };
}

const knownStack = {
  platform: /^pwa$/i,
  styling: /^css$/i,
  storage: /^(?:browser|local|device)/i,
  framework: /^none$/i,
};

function answer({ served, worker }: ReturnType<typeof generateNode>, method: string, path: string): Answer {
  if (method !== "GET" && method !== "HEAD") return { status: 405 };
  const [name = ""] = path.split("?");
  if (name === "/sw.js") return { status: 200, body: worker };
  if (name === "/health") return { status: 200, body: '{"status":"ok"}\n' };
  const content = served.get(name)?.content;
  if (content === undefined) return { status: 404 };
  return { status: 200, body: typeof content === "string" ? content : "" };
}

function unmetCheck(name: string, value: unknown, pointer: string, served: Served, promises: Fields) {
  const known: Readonly<Record<string, readonly string[]>> = {
    offline: ["precached", "requests_to_other_hosts_max"],
    touch: ["target_min_px", "contrast_ratio_min"],
  };
  if (
    ["first_load_max_kb", "health_check_timeout_seconds", "deployment_time_max_minutes", "zero_downtime"].includes(name)
  )
    return [];
  if (!Object.hasOwn(known, name)) return undefined;
  const unmet = [...unknownKeys(fieldsOf(value), known[name]!, pointer, "what an app's tests can show")];
  if (name === "offline")
    for (const path of textsOf(promises["precached"]))
      if (!served.has(path)) unmet.push({ pointer: `${pointer}/precached`, reason: `There is nothing at ${path}.` });
  return unmet;
}

const howItIsMade = `
## How it is made

- \`app/\`: the app. \`model.js\` says what is kept and which screens there are; \`records.js\` and \`views.js\` are pure functions of
  records and the day; \`boot.js\` puts them on the page, with taps, swipes and forms.
- \`pages/\`: a page for each screen, \`sw.js\`: keeps everything for when there is no signal, \`manifest.webmanifest\`: installing.
- \`server/\`: a small server for these files. It listens on \`HOST\` and \`PORT\`; any other server for files does as well.

To install it, open it in a browser on the phone and choose "Add to home screen". What is entered stays on the device.`;
