import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { isRunBy, pytestCommand, pythonRunner } from "../../kit/python-runner.ts";
import { shell } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { placeTests } from "../../kit/test-places.ts";
import type { Scripts, Unmet } from "../../plugin.ts";
import { modelFiles } from "./generate-model.ts";
import type { GeneratedService } from "./generated-service.ts";
import { withoutForeignPatterns } from "./python-patterns.ts";
import type { Service } from "./read-service.ts";

/** The program and its tests, as they are in `files/`: nothing of a document goes into them. */
const templates = staticFiles(new URL("./files/python/", import.meta.url), (path) => path.endsWith(".py"));

const testGlobs = { unit: "tests/unit/test_*.py", integration: "tests/integration/test_*.py" };

/** The service in plain Python. */
export function generatePython(document: CompleteSpec, written: Service): GeneratedService {
  const { service, unmet: foreign } = withoutForeignPatterns(written);
  const { tests, unmet: unplaced } = placeTests(document, templates, testGlobs);
  const paths = tests.all.map(({ path }) => path);
  const isByPytest = pythonRunner(document) === "pytest";
  const scripts = {
    test: isByPytest ? pytestCommand(paths) : unittestCommand(paths),
    start: "python3 server.py",
    health_check: "python3 health_check.py",
  };
  const { entries, unmet: unknown } = entriesFor(document, scripts);
  return {
    scripts,
    unmet: [...foreign, ...unplaced, ...unknown],
    files: () => {
      const files = new FileSet().addAll(entries).addAll(tests).addAll(modelFiles(service));
      // Otherwise `pytest` without `python3 -m` finds the tests, but not what they test.
      if (isByPytest) files.add("pytest.ini", "[pytest]\npythonpath = .\n");
      for (const [path, text] of templates) if (!path.startsWith("tests/")) files.add(path, text);
      return files;
    },
  };
}

function unittestCommand(paths: readonly string[]): string {
  const runs = [...new Set(paths.map(patternOf))].map((pattern) => {
    const folder = pattern.slice(0, Math.max(0, pattern.lastIndexOf("/"))) || ".";
    return `python3 -m unittest discover -s ${shell(folder)} -p ${shell(pattern.slice(pattern.lastIndexOf("/") + 1))}`;
  });
  return runs.join(" && ");
}

/** The pattern that finds a test file. */
function patternOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return `${path.slice(0, path.length - name.length)}${name.startsWith("test_") ? "test_*.py" : /_test\.py$/.test(name) ? "*_test.py" : "*.py"}`;
}

/** A start script with another file name runs the same program. Other commands of the document are unknown. */
function entriesFor(
  document: CompleteSpec,
  own: Scripts,
): { readonly entries: FileSet; readonly unmet: readonly Unmet[] } {
  const entries = new FileSet();
  const unmet: Unmet[] = [];
  for (const kind of ["test", "start", "health_check", "build"] as const) {
    const wanted = (document.scripts as Scripts | undefined)?.[kind];
    if (wanted === undefined || wanted === own[kind] || isRunBy(pythonRunner(document), wanted)) continue;
    const program = /^python3? ((?:[\w-]+\/)*[\w-]+\.py)$/.exec(wanted.trim())?.[1];
    if (program === undefined || kind !== "start")
      unmet.push({ pointer: `/scripts/${kind}`, reason: "This command is not known; nothing was built for it." });
    else if (program !== "server.py") entries.add(program, entry(program));
  }
  return { entries, unmet };
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
