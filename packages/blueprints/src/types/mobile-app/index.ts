import { type Answer, unmetDescription, unmetLines, unmetWork } from "../../kit/not-built.ts";
import { type Design, type DocumentToBuild, outcomeType } from "../../kit/outcome-type.ts";
import { markdown } from "../../kit/quote.ts";
import { readEntities } from "../../kit/read-entities.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import type { OutcomeType, Unmet } from "../../plugin.ts";
import { generateNode } from "./generate-node.ts";
import { readInstall } from "./read-install.ts";
import { readNavigation, readScreens } from "./read-screens.ts";

/** An app for the home screen: installable, made for touch, and fully usable offline. */
export const mobileApp: OutcomeType = outcomeType("mobile-app", ["javascript"], design);

const items = { item: { fields: { name: { type: "string", required: true }, notes: { type: "text" } } } } as const;

function design(document: DocumentToBuild<"mobile-app">): Design {
  const unmet: Unmet[] = [];
  const records = readEntities(document.data_model, items, unmet);
  const screens = readScreens(document, records, unmet);
  const navigation = readNavigation(document, screens, unmet);
  const install = readInstall(document);
  const project = generateNode(document, { entities: records.entities, screens, navigation, install });
  return {
    scripts: project.scripts,
    unmet: [
      ...unmet,
      ...unknownStack(document, knownStack),
      ...project.unmet,
      ...unmetWork(document),
      ...unmetDescription(
        document.data_model !== undefined,
        "Without 'data_model' it keeps items with a name and notes.",
      ),
    ],
    chapters: [...whatItKeeps(document), howItIsMade],
    files: project.files,
    unmetLines: (lines) =>
      unmetLines(lines, {
        answer: (method, path) => answer(project, method, path),
        tests: ["unit", "e2e"],
        framework: "node:test",
        runs: project.runs,
        unmetCheck: () => undefined,
      }),
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

function whatItKeeps({ data_model: model = {} }: DocumentToBuild<"mobile-app">): readonly string[] {
  const about = Object.entries(model).flatMap(([name, { description }]) =>
    description === undefined ? [] : [`- **${markdown(name)}**: ${markdown(description)}`],
  );
  return about.length === 0 ? [] : [`## What it keeps\n\n${about.join("\n")}`];
}

const howItIsMade = `
## How it is made

- \`app/\`: the app. \`model.js\` says what is kept and which screens there are; \`records/\`, \`select.js\` and \`views.js\`
  are pure functions of records and the day; \`boot.js\` puts them on the page, with taps, swipes and forms.
- \`pages/\`: a page for each screen, \`sw.js\`: keeps everything for when there is no signal, \`manifest.webmanifest\`: installing.
- \`server/\`: a small server for these files. It listens on \`HOST\` and \`PORT\`; any other server for files does as well.
- Records stay on the device. In a new version, fields that are new get their defaults, and renamed ones (\`was\`) keep
  their values.`;
