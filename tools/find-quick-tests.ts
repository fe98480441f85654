import { existsSync, globSync, readFileSync } from "node:fs";
import { posix, sep } from "node:path";
import { findTestFiles } from "./find-test-files.ts";

/** Whoever loads one of these can start processes, threads or a database. */
const slowModules = new Set(["node:child_process", "node:cluster", "node:worker_threads", "pg"]);

/** The repository's own rules count as quick although they ask git for its files. */
const rules = new Set(["tests/architecture.test.ts", "tests/house-rules.test.ts"]);

/**
 * Finds the test files that start no process and no database, because nothing they load can.
 */
export function findQuickTests(root: string): string[] {
  const importsOf = importReader(root);
  return findTestFiles(root).filter((path) => rules.has(path) || !loadsSlowModule(path, importsOf));
}

function loadsSlowModule(test: string, importsOf: (path: string) => Imports): boolean {
  const loaded = new Set([test]);
  // A set that grows while it is walked: everything is visited once, circles included.
  for (const path of loaded) {
    const { isSlow, files } = importsOf(path);
    if (isSlow) return true;
    for (const file of files) loaded.add(file);
  }
  return false;
}

interface Imports {
  /** It names a slow module itself. */
  readonly isSlow: boolean;
  /** The files of ours that it loads. */
  readonly files: readonly string[];
}

/** Reads each file once. The formatter gives every import one shape, and a parser would take ten times as long. */
function importReader(root: string): (path: string) => Imports {
  const entries = packageEntries(root);
  const known = new Map<string, Imports>();
  const pattern = /^(?:import|export)\s(?!type\b)[^;"]*"([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return (path) => {
    const before = known.get(path);
    if (before) return before;
    const text = readFileSync(`${root}/${path}`, "utf8");
    const specifiers = [...text.matchAll(pattern)].map(([, named, dynamic]) => (named ?? dynamic)!);
    const files = specifiers
      .map((name) => (name.startsWith(".") ? posix.join(posix.dirname(path), name) : entries.get(name)))
      .filter((file) => file?.endsWith(".ts") && existsSync(`${root}/${file}`));
    const imports = { isSlow: specifiers.some((name) => slowModules.has(name)), files: files as string[] };
    known.set(path, imports);
    return imports;
  };
}

/** What our packages export, by the name that others import it by. */
function packageEntries(root: string): ReadonlyMap<string, string> {
  const manifests = globSync("packages/*/package.json", { cwd: root });
  return new Map(
    manifests.flatMap((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(`${root}/${path}`, "utf8")) as {
        name: string;
        exports?: Record<string, string>;
      };
      const folder = posix.dirname(path.replaceAll(sep, "/"));
      return Object.entries(exports).map(([key, file]) => [posix.join(name, key), posix.join(folder, file)] as const);
    }),
  );
}
