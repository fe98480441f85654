import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { isRunBy, type PythonRunner, pytestCommand, pythonRunner } from "../../kit/python-runner.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { testPlaces } from "../../kit/test-places.ts";
import type { Scripts, Unmet } from "../../plugin.ts";
import type { Project } from "./project.ts";
import type { Settings } from "./read-settings.ts";

const templates = staticFiles(new URL("./files/python/", import.meta.url));

/** The pipeline as a package of plain Python: `python3 -m <package> <step>`. */
export function generatePython(document: DocumentToBuild<"ml-pipeline">, settings: Settings): Project {
  const packageName = packageOf(document);
  const { tests, folders, testFiles } = testsOf(document, packageName);
  const runner = pythonRunner(document);
  const byUnittest = folders.map((folder) => `python3 -m unittest discover -s ${folder} -t .`).join(" && ");
  const scripts = {
    build: `python3 -m ${packageName} ${settings.steps.evaluate}`,
    test: runner === "pytest" ? pytestCommand(testFiles) : byUnittest,
  };
  const files = () => {
    const set = new FileSet().addAll(tests);
    for (const [path, text] of templates)
      if (path.startsWith("package/"))
        set.add(path.replace(/^package/, packageName), text.replaceAll("PACKAGE", packageName));
    return set.add(`${packageName}/settings.json`, JSON.stringify(settings, undefined, 2));
  };
  return {
    files,
    scripts,
    unmet: scriptsUnmet(document, scripts, runner),
    framework: runner,
    needs: "Python 3.10 or newer",
    example: `from ${packageName} import load_model\n\nprint(load_model().predict(row))`,
    commandOf: (step) => `python3 -m ${packageName} ${step}`,
    runs: (command) => (Object.values(scripts).includes(command) ? true : runsStep(command, packageName, settings)),
    stack: {
      language: /^python/i,
      version: /./,
      libraries: /^(?:standard|none|stdlib)/i,
      runtime: /^(?:python|cpython)/i,
    },
  };
}

/** Places the tests where the document wants them, in folders that Python can import. */
function testsOf(document: CompleteSpec, packageName: string) {
  const tests = new FileSet();
  const roots = new Set<string>();
  const testFiles: string[] = [];
  const places = {
    unit: placesFor(document, "unit", "tests/test_*.py"),
    integration: placesFor(document, "integration", "tests/integration/test_*.py"),
  };
  for (const [path, text] of templates) {
    const [, kind, name] = /^tests\/(unit|integration)\/(\w+)\.py$/.exec(path) ?? [];
    if (kind === undefined) continue;
    const place = places[kind as keyof typeof places](name!);
    testFiles.push(place);
    tests.add(place, text.replaceAll("PACKAGE", packageName));
    const folders = place.split("/").slice(0, -1);
    for (const depth of folders.keys()) tests.add(`${folders.slice(0, depth + 1).join("/")}/__init__.py`, "");
    roots.add(folders[0]!);
  }
  return { tests, folders: [...roots], testFiles };
}

/** Allows only what unittest discovers: importable folders, and names that start with test. */
function placesFor(document: CompleteSpec, type: "unit" | "integration", ownGlob: string): (name: string) => string {
  const wanted = testPlaces(document, type, ownGlob);
  const isFound = /^(?:[a-z_]\w*\/)+test\w*\.py$/i.test(wanted("a")) && wanted("a") !== wanted("b");
  return isFound ? wanted : (name) => ownGlob.replace("*", name);
}

function packageOf({ id, pipeline }: DocumentToBuild<"ml-pipeline">): string {
  const name = (pipeline.package ?? id).toLowerCase().replace(/[^a-z\d]+/g, "_");
  const plain = name.replace(/^[\d_]+|_+$/g, "").slice(0, 60);
  // Names that would shadow a module of Python, or the folder of the tests.
  const isTaken = [
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
  return plain === "" || isTaken.includes(plain) ? `${plain || "ml"}_pipeline` : plain;
}

function runsStep(command: string, packageName: string, { steps }: Settings): boolean | undefined {
  const [, program, step] = /^python3? -m (\w+) ([\w-]+)(?:\s.*)?$/.exec(command.trim()) ?? [];
  return program === packageName ? Object.values(steps).includes(step!) : undefined;
}

function scriptsUnmet({ scripts = {} }: CompleteSpec, own: Scripts, runner: PythonRunner): readonly Unmet[] {
  return Object.entries(scripts as Scripts)
    .filter(([, command]) => !Object.values(own).includes(command) && !isRunBy(runner, command))
    .map(([name]) => ({
      pointer: `/scripts/${name}`,
      reason: "This command is not known; it is kept as it is, and nothing was built for it.",
    }));
}
