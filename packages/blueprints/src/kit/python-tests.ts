import type { CompleteSpec } from "@slipway/spec";
import type { Scripts, Unmet } from "../plugin.ts";
import { isRunBy, pytestCommand, pythonRunner } from "./python-runner.ts";
import { testPlaces } from "./test-places.ts";

/** Where the tests of a Python project are. */
interface PythonTests {
  readonly place: (name: string) => string;
  readonly folder: string;
  readonly pattern: string;
  /** The folder of the tests and its parents: unittest only finds tests in packages. */
  readonly folders: readonly string[];
}

/** Tests where the document wants its unit tests if that is possible. */
export function pythonTests(document: CompleteSpec): PythonTests {
  const wanted = testPlaces(document, "unit", "tests/test_*.py");
  const isFit = /^[A-Za-z_]\w*(?:\/[A-Za-z_]\w*)*\/[A-Za-z_]\w*\.py$/.test(wanted("a")) && wanted("a") !== wanted("b");
  const place = isFit ? wanted : (name: string) => `tests/test_${name}.py`;
  const parts = place("*").split("/");
  const pattern = parts.pop()!;
  return {
    place,
    folder: parts.join("/"),
    pattern,
    folders: parts.map((_, index) => parts.slice(0, index + 1).join("/")),
  };
}

/** The scripts of a Python project with this folder of modules, and which of the document's own scripts and test frameworks are not supported. */
export function pythonScripts(
  document: CompleteSpec,
  folderOfModules: string,
): { readonly scripts: Scripts; readonly unmet: readonly Unmet[] } {
  const { folder, pattern, place } = pythonTests(document);
  const runner = pythonRunner(document);
  const scripts = {
    build: `python3 -m compileall -q ${folderOfModules}`,
    test:
      runner === "pytest"
        ? pytestCommand([place("a")])
        : `python3 -m unittest discover -s ${folder} -t . -p '${pattern}'`,
  };
  const wanted = Object.entries((document.scripts ?? {}) as Scripts);
  const unmet = wanted
    .filter(
      ([kind, command]) =>
        ["build", "test", "start"].includes(kind) &&
        !/^python3? -m compileall\b/.test(command) &&
        !isRunBy(runner, command),
    )
    .map(([kind]) => ({ pointer: `/scripts/${kind}`, reason: "This command is not known; nothing was built for it." }));
  const frameworks = (document.acceptance.tests ?? []).flatMap(({ framework }, index) =>
    framework === undefined || framework === runner
      ? []
      : [{ pointer: `/acceptance/tests/${index}`, reason: `Tests are run by ${runner}, not by ${framework}.` }],
  );
  return { scripts, unmet: [...unmet, ...frameworks] };
}
