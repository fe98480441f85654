import type { CompleteSpec } from "@slipway/spec";
import type { Scripts, Unmet } from "../plugin.ts";
import { testPlaces } from "./test-places.ts";

/** Where the tests of a Python project are. */
interface PythonTests {
  readonly place: (name: string) => string;
  readonly folder: string;
  readonly pattern: string;
  /** The folder of the tests and its parents: unittest only finds tests in packages. */
  readonly folders: readonly string[];
}

/** Tests for unittest, where the document wants its unit tests if that is possible. */
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
  const { folder, pattern } = pythonTests(document);
  const scripts = {
    build: `python3 -m compileall -q ${folderOfModules}`,
    test: `python3 -m unittest discover -s ${folder} -t . -p '${pattern}'`,
  };
  const wanted = Object.entries((document.scripts ?? {}) as Scripts);
  const unmet = wanted
    .filter(
      ([kind, command]) =>
        ["build", "test", "start"].includes(kind) && !/^python3? -m (?:unittest|compileall)\b/.test(command),
    )
    .map(([kind]) => ({ pointer: `/scripts/${kind}`, reason: "This command is not known; nothing was built for it." }));
  const frameworks = (document.acceptance.tests ?? []).flatMap(({ framework }, index) =>
    framework === undefined || framework === "unittest"
      ? []
      : [{ pointer: `/acceptance/tests/${index}`, reason: `Tests are written for unittest, not for ${framework}.` }],
  );
  return { scripts, unmet: [...unmet, ...frameworks] };
}
