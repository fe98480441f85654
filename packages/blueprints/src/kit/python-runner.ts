import type { CompleteSpec } from "@slipway/spec";
import type { Scripts } from "../plugin.ts";
import { shell } from "./quote.ts";

/** What starts the tests of a Python project. They are written for unittest, and pytest runs such tests, too. */
export type PythonRunner = "unittest" | "pytest";

const byPytest = /^(?:python3? -m )?pytest(?=\s|$)/;

/** pytest, where the document's tests name it or its own script starts it; else what every Python has. */
export function pythonRunner({ acceptance, scripts }: Pick<CompleteSpec, "acceptance" | "scripts">): PythonRunner {
  const isNamed = (acceptance.tests ?? []).some(({ framework }) => framework === "pytest");
  return isNamed || byPytest.test((scripts as Scripts | undefined)?.test ?? "") ? "pytest" : "unittest";
}

/** Whether a command of the document starts the tests as the project does. */
export function isRunBy(runner: PythonRunner, command: string): boolean {
  if (/^python3? -m unittest\b/.test(command)) return runner === "unittest";
  return runner === "pytest" && byPytest.test(command);
}

/** The command by which pytest runs these test files. */
export function pytestCommand(paths: readonly string[]): string {
  const folders = [...new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf("/"))) || "."))];
  const outer = folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
  const isUsual = paths.every((path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path));
  const names = isUsual ? [] : ["-o", "python_files='*.py'"];
  return ["python3 -m pytest", ...names, ...outer.map(shell)].join(" ");
}
