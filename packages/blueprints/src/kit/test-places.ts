import type { CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../plugin.ts";
import { FileSet } from "./file-set.ts";

type TestType = "unit" | "integration" | "e2e";

/** Where a type keeps its tests of each kind, each as a glob with one `*` for the name. */
export type TestGlobs = Readonly<Partial<Record<TestType, string>>>;

/** Where the tests of a kind are kept: as the document's globs say, else where the type itself would keep them. */
export function testPlaces(document: CompleteSpec, type: TestType, usual: string): (name: string) => string {
  const globs = (document.acceptance.tests ?? []).filter((test) => test.type === type).map(({ file }) => file);
  const glob = globs.find((file) => file !== undefined && isInside(file)) ?? usual;
  const parts = glob.replace(/^\.\//, "").split("/");
  const last = parts.pop()!;
  // `**` may be no folder at all; a folder by a pattern gets a name that fits it.
  const folder = parts
    .filter((part) => part !== "**")
    .map((part) => (isPattern(part) ? around(part).join("all") : part));
  const [prefix, suffix] = around(last);
  return (name) => [...folder, isPattern(last) ? `${prefix}${name}${suffix}` : last].join("/");
}

/**
 * The tests of a type, which it keeps as `tests/<kind>/<name>.js`, where the document wants them. A glob that is one file
 * gets the first; the others stay where the type would keep them.
 */
export function placeTests(
  document: CompleteSpec,
  files: ReadonlyMap<string, string>,
  usual: TestGlobs,
): { readonly tests: FileSet; readonly unmet: readonly Unmet[] } {
  const tests = new FileSet();
  for (const [type, glob] of Object.entries(usual) as [TestType, string][]) {
    const wanted = testPlaces(document, type, glob);
    const own = placeIn(glob);
    const isOne = wanted("a") === wanted("b");
    const found = [...files].filter(([path]) => path.startsWith(`tests/${type}/`));
    for (const [index, [path, text]] of found.entries()) {
      const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
      tests.add(isOne && index > 0 ? own(name) : wanted(name), text);
    }
  }
  return { tests, unmet: unplaced(document) };
}

function placeIn(glob: string): (name: string) => string {
  return (name) => glob.replace("*", name);
}

/** Globs that lead out of the project, or beside one that is honoured already. */
function unplaced({ acceptance }: CompleteSpec): readonly Unmet[] {
  const honoured = new Set<string>();
  return (acceptance.tests ?? []).flatMap(({ file, type }, index) => {
    if (file === undefined) return [];
    const isTaken = honoured.has(type);
    if (isInside(file)) honoured.add(type);
    else return [{ pointer: `/acceptance/tests/${index}`, reason: "No file of the project can be called like this." }];
    return isTaken
      ? [{ pointer: `/acceptance/tests/${index}`, reason: "Tests of this kind are where an earlier line has them." }]
      : [];
  });
}

/** Where further tests of a kind are kept; a glob that is one file has no place for them. */
export function placeOfMore(document: CompleteSpec, type: TestType, usual: string): (name: string) => string {
  const wanted = testPlaces(document, type, usual);
  return wanted("a") === wanted("b") ? placeIn(usual) : wanted;
}

/** Runs the tests: those that Node finds by itself need not be named. */
export function testCommand(paths: readonly string[]): string {
  const isFound = paths.every((path) => /\.test\.[cm]?js$/.test(path) || /(?:^|\/)test\/.*\.[cm]?js$/.test(path));
  return isFound ? "node --test" : `node --test ${paths.join(" ")}`;
}

/** What stands before and after the name in a pattern such as `test_*.py`. */
function around(pattern: string): readonly [string, string] {
  const plain = pattern.replace(/\{([^,}]*)[^}]*\}/g, "$1").replaceAll("?", "");
  const star = plain.indexOf("*");
  return star === -1 ? ["", plain] : [plain.slice(0, star), plain.slice(plain.lastIndexOf("*") + 1)];
}

function isPattern(part: string): boolean {
  return /[*?{]/.test(part);
}

function isInside(file: string): boolean {
  const isPlain = /^[\w.*?{},@/-]+$/.test(file) && /\.(?:m?js|py|\{m?js.*\})$/.test(file);
  return isPlain && !file.startsWith("/") && !file.split("/").includes("..");
}
