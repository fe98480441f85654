import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../plugin.ts";
import { testPlaces } from "./test-places.ts";

export interface NodeTests {
  /** The path of a test, by its name. */
  readonly place: (name: string) => string;
  /** The command that runs all tests. */
  readonly command: string;
  readonly unmet: readonly Unmet[];
}

/** Tests for node:test, where the document wants its unit tests. If it names one file, that is the test `first`. */
export function nodeTests(document: CompleteSpec, first: string, language: "js" | "ts" = "js"): NodeTests {
  const wanted = testPlaces(document, "unit", `test/**/*.test.${language}`);
  const own = (name: string) => `test/${name}.test.${language}`;
  const isRunnable = language === "ts" ? /\.m?[jt]s$/.test(wanted("a")) : /\.m?js$/.test(wanted("a"));
  const isOne = wanted("a") === wanted("b");
  const place = (name: string) => (isRunnable && (!isOne || name === first) ? wanted(name) : own(name));
  return { place, command: commandFor([place(first), place("a")]), unmet: unmetTests(document, isRunnable) };
}

/** Files that Node finds by itself need not be named. */
function commandFor(files: readonly string[]): string {
  const isFound = (file: string) => /[.-]test\.m?[jt]s$/.test(file) || /(?:^|\/)test\/.*\.m?[jt]s$/.test(file);
  if (files.every(isFound)) return "node --test";
  const ending = files[0]!.slice(files[0]!.lastIndexOf("/") + 1).replace(/^[^.]*/, "*");
  const folder = files[0]!.includes("/") ? files[0]!.slice(0, files[0]!.lastIndexOf("/")) : ".";
  return `node --test $(find '${folder}' -name '${ending}' -not -path '*/node_modules/*')`;
}

function unmetTests(document: CompleteSpec, isRunnable: boolean): readonly Unmet[] {
  return acceptanceLines(document).flatMap(({ pointer, check }) => {
    if (check.kind !== "tests") return [];
    if (check.framework !== undefined && check.framework !== "node:test")
      return [{ pointer, reason: `Tests are written for node:test, not for ${check.framework}.` }];
    if (check.type !== "unit") return [{ pointer, reason: `There are no tests of the type ${check.type}.` }];
    return isRunnable
      ? []
      : [{ pointer, reason: `Tests are in test/, not in ${check.file}: they are written in another language.` }];
  });
}
