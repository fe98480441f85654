import type { CompleteSpec } from "@slipway/spec";
import type { Unmet } from "../plugin.ts";
import { FileSet } from "./file-set.ts";

type TestType = "unit" | "integration" | "e2e";

/** Where a type puts its tests of each kind: a glob with one `*` for the name. */
export type TestGlobs = Readonly<Partial<Record<TestType, string>>>;

/** Maps names to paths of tests of a kind: by the document's glob if it has one, else by the type's own. */
export function testPlaces(document: CompleteSpec, type: TestType, ownGlob: string): (name: string) => string {
  const globs = (document.acceptance.tests ?? []).filter((test) => test.type === type).map(({ file }) => file);
  const isFit = (file: string) => isInside(ownGlob.endsWith(".ts") ? file.replace(/\.ts$/, ".js") : file);
  const glob = globs.find((file) => file !== undefined && isFit(file)) ?? ownGlob;
  const parts = glob.replace(/^\.\//, "").split("/");
  const last = parts.pop()!;
  // `**` matches no folder at all; a pattern for a folder gets a name that fits it.
  const folder = parts
    .filter((part) => part !== "**")
    .map((part) => (isPattern(part) ? around(part).join("all") : part));
  const [prefix, suffix] = around(last);
  return (name) => [...folder, isPattern(last) ? `${prefix}${name}${suffix}` : last].join("/");
}

/**
 * Puts the templates `tests/<kind>/<name>.js` where the document wants them. If its glob is one file, that gets the
 * first test; the others go where the type's own globs say.
 */
export function placeTests(
  document: CompleteSpec,
  files: ReadonlyMap<string, string>,
  ownGlobs: TestGlobs,
): { readonly tests: FileSet; readonly unmet: readonly Unmet[] } {
  const tests = new FileSet();
  for (const [type, glob] of Object.entries(ownGlobs) as [TestType, string][]) {
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

/** Globs that leave the project, or come after one that is already honoured. */
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

/** The command that runs the tests; it names only files that Node does not find by itself. */
export function testCommand(paths: readonly string[]): string {
  const isFound = paths.every((path) => /\.test\.[cm]?js$/.test(path) || /(?:^|\/)test\/.*\.[cm]?js$/.test(path));
  return isFound ? "node --test" : `node --test ${paths.join(" ")}`;
}

/** The prefix and suffix of a pattern such as `test_*.py`. */
function around(pattern: string): readonly [string, string] {
  const plain = pattern.replace(/\{([^,{}]*)(?:,[^{}]*)?\}/g, "$1").replaceAll("?", "");
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
