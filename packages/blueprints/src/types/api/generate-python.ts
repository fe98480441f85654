import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { shell } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { placeOfMore, placeTests } from "../../kit/test-places.ts";
import type { BuildTask, Scripts, Unmet } from "../../plugin.ts";
import { modelFiles, sliceFiles } from "./generate-model.ts";
import { pythonAcceptanceTests } from "./generate-python-tests.ts";
import type { Service } from "./read-service.ts";
import { uniqueNames } from "./unique-names.ts";

/** The program and its tests, as they stand beside this file: nothing of a document goes into them. */
const sources = new Map(
  [...staticFiles(new URL("./files/python/", import.meta.url))].filter(([path]) => path.endsWith(".py")),
);

const usual = { unit: "tests/unit/test_*.py", integration: "tests/integration/test_*.py" };

interface PythonProject {
  readonly files: FileSet;
  readonly tests: FileSet;
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
}

/** How the program is started, tested and asked for its health; a start script by another name leads to the same. */
export function pythonProject(document: CompleteSpec): PythonProject {
  const { tests, unmet } = placeTests(document, sources, usual);
  const place = placeOfMore(document, "integration", usual.integration);
  const patterns = new Set([...tests.all.map(({ path }) => path), place("acceptance_task")].map(patternOf));
  const test = [...patterns].map((pattern) => {
    const folder = pattern.slice(0, Math.max(0, pattern.lastIndexOf("/"))) || ".";
    return `python3 -m unittest discover -s ${shell(folder)} -p ${shell(pattern.slice(pattern.lastIndexOf("/") + 1))}`;
  });
  const scripts = { test: test.join(" && "), start: "python3 server.py", health_check: "python3 health_check.py" };
  const files = new FileSet();
  const more: Unmet[] = [];
  for (const kind of ["test", "start", "health_check", "build"] as const) {
    const wanted = (document.scripts as Scripts | undefined)?.[kind];
    if (wanted === undefined || wanted === (scripts as Scripts)[kind] || /^python3? -m unittest\b/.test(wanted))
      continue;
    const program = /^python3? ((?:[\w-]+\/)*[\w-]+\.py)$/.exec(wanted.trim())?.[1];
    if (program === undefined || kind !== "start")
      more.push({ pointer: `/scripts/${kind}`, reason: "This command is not known; nothing was built for it." });
    else if (program !== "server.py") files.add(program, entry(program));
  }
  return { files, tests, scripts, unmet: [...unmet, ...more] };
}

/** The pattern by which a test file is found among its neighbours. */
function patternOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return `${path.slice(0, path.length - name.length)}${name.startsWith("test_") ? "test_*.py" : /_test\.py$/.test(name) ? "*_test.py" : "*.py"}`;
}

function entry(program: string): string {
  const depth = program.split("/").length - 1;
  return [
    '"""Runs the service, under the name that its description gives."""',
    "",
    "import runpy",
    "import sys",
    "from pathlib import Path",
    "",
    `ROOT = Path(__file__).resolve().parents[${depth}]`,
    "sys.path.insert(0, str(ROOT))",
    'runpy.run_path(str(ROOT / "server.py"), run_name="__main__")',
  ].join("\n");
}

/** What the service is made of whatever is asked of it: the program, its tests, and the resources that are declared. */
export function pythonFoundation(document: CompleteSpec, service: Service): FileSet {
  const { files, tests } = pythonProject(document);
  const foundation = new FileSet().addAll(files).addAll(tests).addAll(modelFiles(service));
  for (const [path, text] of sources) if (!path.startsWith("tests/")) foundation.add(path, text);
  return foundation;
}

/** What a task adds for its lines of acceptance: resources and routes that only they ask for, and their tests. */
export function pythonSlice(
  document: CompleteSpec,
  service: Service,
  { id, lines }: Pick<BuildTask, "id" | "lines">,
): FileSet {
  const slice = sliceFiles(service, lines);
  const tests = pythonAcceptanceTests(lines, service.requests);
  if (tests === undefined) return slice;
  const [name = "task"] = uniqueNames([id], "task");
  return slice.add(placeOfMore(document, "integration", usual.integration)(`acceptance_${name}`), tests);
}
