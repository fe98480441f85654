import { dirname } from "node:path/posix";
import { fromFolder, isBelow, type Package, type Packages, packageAt } from "./packages.ts";
import type { ScriptStep } from "./parse-script.ts";
import { quoteWord } from "./parse-script.ts";
import type { RunnerName } from "./test-case.ts";
import { isNamedLikeTest, isNodesTest, maxPaddedBytes, namedRunner, readText } from "./test-files.ts";

/** Test files of one package that one runner is for. */
export interface TestGroup {
  readonly runner: RunnerName;
  /** The package's. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Those among them that name the runner themselves. */
  readonly naming: readonly string[];
}

export interface DetectedTests {
  readonly groups: readonly TestGroup[];
  /** Test files for a runner that we do not know. */
  readonly unknown: readonly string[];
}

interface Where {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Finds the runner of each test file: by what it names, else by what its package has installed, else by how it checks. */
export async function detectJavascript(
  { folder, signal }: Where,
  tests: readonly string[],
  packages: Packages,
  wanted: RunnerName | undefined,
): Promise<DetectedTests> {
  const groups = new Map<string, { runner: RunnerName; folder: string; files: string[]; naming: string[] }>();
  const unknown: string[] = [];
  const add = (runner: RunnerName, place: string, path: string, isNaming: boolean) => {
    const group = groups.get(`${place}\0${runner}`) ?? { runner, folder: place, files: [], naming: [] };
    group.files.push(path);
    if (isNaming) group.naming.push(path);
    groups.set(`${place}\0${runner}`, group);
  };
  const unnamed: { readonly path: string; readonly place: string; readonly checks: Checks }[] = [];
  for (const path of tests) {
    const text = (await readText(folder, path, signal, maxPaddedBytes)) ?? "";
    const place = packageAt(dirname(path), packages)?.folder ?? ".";
    const named = namedRunner(text);
    if (named === "another") {
      if (isNamedLikeTest(path)) unknown.push(path);
    } else if (named !== undefined) add(named, place, path, true);
    else unnamed.push({ path, place, checks: checksOf(text) });
  }
  const withTests = foldersAround(tests.filter(isNamedLikeTest));
  for (const { path, place, checks } of unnamed) {
    const runner = wanted ?? runnerIn(place, packages, groups.has(`${place}\0node:test`), checks);
    // What lies beside tests of a package may be a helper of them.
    const isHelper = !isNamedLikeTest(path) && !/(^|\/)__tests__\//.test(path);
    const isAlone = !withTests.has(place);
    if (runner !== undefined && (runner === "node:test" || !isHelper || isAlone)) add(runner, place, path, false);
    else if (runner === undefined && !isHelper) unknown.push(path);
  }
  return { groups: [...groups.values()], unknown };
}

/** All folders that hold some of these files, at whichever depth. */
function foldersAround(paths: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); !found.has(at); at = dirname(at)) found.add(at);
  }
  return found;
}

/** What a test file that names no runner calls to check something. */
type Checks = "expect" | "assert" | "neither";

function checksOf(text: string): Checks {
  if (isNodesTest("", text)) return "assert";
  return /\bexpect\s*\(/.test(text) ? "expect" : "neither";
}

/** Programs that check with `assert` are tests for Node. Others are for a runner that we do not know. */
function runnerIn(place: string, { all }: Packages, hasNodes: boolean, checks: Checks): RunnerName | undefined {
  const above = all.filter(({ folder }) => isBelow(place, folder));
  const installed = (["vitest", "jest"] as const).find((one) => above.some(({ needs }: Package) => needs.has(one)));
  if (installed !== undefined && (!hasNodes || checks === "expect")) return installed;
  return hasNodes || checks === "assert" ? "node:test" : undefined;
}

type Step = Extract<ScriptStep, { is: "tests" }>;

/** How the tests of a group are run: by its runner, in its package. */
export function stepOf(group: TestGroup, all: readonly TestGroup[], tests: readonly string[]): Step {
  const { runner, folder, files } = group;
  const place = folder === "." ? {} : { startsIn: folder };
  const step = { is: "tests", runner, words: [], variables: [], ...place } as const;
  if (all.length === 1 && all[0]!.files.length === files.length) return step;
  const ours = new Set(files);
  const isShared = tests.some((path) => isBelow(path, folder) && !ours.has(path));
  // Node is told the files; others find theirs, and those of other runners, too, unless they are told.
  const words = isShared && runner !== "node:test" ? files.map((path) => quoteWord(fromFolder(path, folder))) : [];
  return { ...step, words, files };
}
