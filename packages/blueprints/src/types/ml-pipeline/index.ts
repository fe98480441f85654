import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { commonFiles, languageOf } from "../../kit/common-files.ts";
import { FileSet } from "../../kit/file-set.ts";
import { notBuilt, unknownKeys, unmetFeatures, unmetLines } from "../../kit/not-built.ts";
import { fieldsOf } from "../../kit/read-value.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { testPlaces } from "../../kit/test-places.ts";
import { unknownStack } from "../../kit/unknown-stack.ts";
import { writeFiles } from "../../kit/write-files.ts";
import type { OutcomeType, Scripts, Unmet } from "../../plugin.ts";
import { type Settings, settingsOf } from "./settings.ts";

const files = staticFiles(new URL("./files/", import.meta.url));

/** A pipeline in plain Python: it makes data, trains, measures on unseen rows against what was promised, and predicts. */
export const mlPipeline: OutcomeType = {
  name: "ml-pipeline",
  languages: ["python"],
  plan: (document) => {
    const { scripts, unmet } = designOf(document);
    return { scripts: { ...scripts, ...document.scripts }, unmet };
  },
  build: (task, workspace) => writeFiles(workspace, task, filesOf(workspace.document)),
};

interface Design {
  readonly settings: Settings;
  readonly packageName: string;
  readonly tests: FileSet;
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
}

function designOf(document: CompleteSpec): Design {
  const { settings, unmet } = settingsOf(document);
  const packageName = packageOf(document);
  const { tests, folders } = testsOf(document, packageName);
  const evaluateStep = Object.keys(settings.steps).find((name) => settings.steps[name] === "evaluate")!;
  const scripts = {
    build: `python3 -m ${packageName} ${evaluateStep}`,
    test: folders.map((folder) => `python3 -m unittest discover -s ${folder} -t .`).join(" && "),
  };
  const pipeline = unknownKeys(
    fieldsOf(fieldsOf(document)["pipeline"]),
    ["package", "steps", "outputs"],
    "/pipeline",
    "a pipeline",
  );
  return {
    settings,
    packageName,
    tests,
    scripts,
    unmet: [
      ...unmet,
      ...pipeline,
      ...stackUnmet(document),
      ...scriptsUnmet(document, scripts),
      ...unmetLines(acceptanceLines(document), {
        answer: () => ({ status: 0 }),
        tests: ["unit", "integration"],
        framework: "unittest",
        runs: (command) => isStep(command, packageName, settings) || Object.values(scripts).includes(command),
        keeps: (name) => (kept.includes(name) ? [] : undefined),
      }),
      ...unmetFeatures(document),
    ],
  };
}

const kept = ["metrics", "beats_baseline_by", "same_seed_same_model", "deployment_time_max_minutes"];

function filesOf(document: CompleteSpec): FileSet {
  const { settings, packageName, tests, scripts, unmet } = designOf(document);
  const set = new FileSet().addAll(tests);
  for (const [path, text] of files)
    if (path.startsWith("package/"))
      set.add(path.replace(/^package/, packageName), text.replaceAll("PACKAGE", packageName));
  const inPython = { ...document, stack: { ...document.stack, language: "python" } };
  return set
    .add(`${packageName}/settings.json`, JSON.stringify(settings, undefined, 2))
    .addAll(commonFiles(inPython, scripts, [usage(packageName, settings), ...notBuilt(unmet)]));
}

/** The tests where the document wants them, in folders that Python can import. */
function testsOf(document: CompleteSpec, packageName: string) {
  const tests = new FileSet();
  const roots = new Set<string>();
  const places = {
    unit: placesFor(document, "unit", "tests/test_*.py"),
    integration: placesFor(document, "integration", "tests/integration/test_*.py"),
  };
  for (const [path, text] of files) {
    const [, kind, name] = /^tests\/(unit|integration)\/(\w+)\.py$/.exec(path) ?? [];
    if (kind === undefined) continue;
    const place = places[kind as keyof typeof places](name!);
    tests.add(place, text.replaceAll("PACKAGE", packageName));
    const folders = place.split("/").slice(0, -1);
    for (const depth of folders.keys()) tests.add(`${folders.slice(0, depth + 1).join("/")}/__init__.py`, "");
    roots.add(folders[0]!);
  }
  return { tests, folders: [...roots] };
}

/** Only what unittest finds by itself: folders that can be imported, and names that begin with test. */
function placesFor(document: CompleteSpec, type: "unit" | "integration", usual: string): (name: string) => string {
  const wanted = testPlaces(document, type, usual);
  const isFound = /^(?:[a-z_]\w*\/)+test\w*\.py$/i.test(wanted("a")) && wanted("a") !== wanted("b");
  return isFound ? wanted : (name) => usual.replace("*", name);
}

function packageOf(document: CompleteSpec): string {
  const wanted = fieldsOf(fieldsOf(document)["pipeline"])["package"];
  const name = (typeof wanted === "string" ? wanted : document.id).toLowerCase().replace(/[^a-z\d]+/g, "_");
  const plain = name.replace(/^[\d_]+|_+$/g, "").slice(0, 60);
  // Names that would hide a module of Python, or the folder of the tests.
  const isTaken = [
    "",
    "test",
    "tests",
    "random",
    "json",
    "csv",
    "math",
    "data",
    "model",
    "reports",
    "docs",
    "import",
    "class",
  ];
  return isTaken.includes(plain) ? `${plain || "ml"}_pipeline` : plain;
}

function isStep(command: string, packageName: string, { steps }: Settings): boolean {
  const match = /^python3? -m (\w+) ([\w-]+)(?:\s.*)?$/.exec(command.trim());
  return match !== null && match[1] === packageName && Object.hasOwn(steps, match[2]!);
}

function stackUnmet(document: CompleteSpec): readonly Unmet[] {
  const isOther = document.stack["language"] !== undefined && languageOf(document) !== "python";
  const known = {
    language: /./,
    version: /./,
    libraries: /^(?:standard|none|stdlib)/i,
    runtime: /^(?:python|cpython)/i,
  };
  return [
    ...(isOther ? [{ pointer: "/stack/language", reason: "Pipelines are written in Python." }] : []),
    ...unknownStack(document, known),
  ];
}

function scriptsUnmet({ scripts = {} }: CompleteSpec, own: Scripts): readonly Unmet[] {
  return Object.entries(scripts as Scripts)
    .filter(([, command]) => !Object.values(own).includes(command) && !/^python3? -m unittest\b/.test(command))
    .map(([name]) => ({
      pointer: `/scripts/${name}`,
      reason: "This command is not known; it is kept as it is, and nothing was built for it.",
    }));
}

function usage(packageName: string, { steps, outputs }: Settings): string {
  const written = fieldsOf(outputs);
  const rows = Object.entries(steps).map(([name, step]) => {
    const result = step === "predict" ? "JSON on standard output" : `\`${String(written[step])}\``;
    return `| \`python3 -m ${packageName} ${name}\` | ${result} |`;
  });
  return [
    "## Steps",
    "",
    "Python 3.11 or newer; nothing else is needed. Each step first runs those before it whose result is missing.",
    "",
    "| step | result |",
    "|---|---|",
    ...rows,
    "",
    `Evaluating also writes \`${String(written["model_card"])}\`, and ends with 1 if a promised metric was missed. Predicting`,
    "reads JSON, an object, a list or an object a line, and ends with 2 if a row lacks something.",
  ].join("\n");
}
