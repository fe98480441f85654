import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { compileGlob, newGlobSteps } from "../../platform/glob.ts";
import { takeTurns } from "../../platform/in-turns.ts";

/** The paths that each glob means. */
export type GlobMatches = ReadonlyMap<string, ReadonlySet<string>>;

/** Compares every glob with every path, once. There may be thousands of both: the service goes on meanwhile. */
export async function matchGlobs(
  globs: readonly string[],
  paths: readonly string[],
  signal: AbortSignal,
): Promise<GlobMatches> {
  const turn = takeTurns(signal);
  const steps = newGlobSteps();
  const known = new Set(paths);
  const found = new Map<string, ReadonlySet<string>>();
  for (const glob of new Set(globs)) {
    const begin = glob.slice(0, glob.search(/[^\w/.@-]|$/));
    // Most lines name one file, or a folder: comparing texts is a hundred times quicker than matching.
    if (begin === glob && !/^\.|\/\.|\/\//.test(glob)) {
      found.set(glob, new Set(known.has(glob) ? [glob] : []));
      continue;
    }
    const isPlain = !/^\.|\/\.|\/\//.test(begin);
    const matching = new Set<string>();
    const matches = compileGlob(glob, steps);
    for (const path of matches === undefined ? [] : known) {
      if (isPlain && !path.startsWith(begin)) continue;
      if (matches?.(path)) matching.add(path);
      await turn();
    }
    found.set(glob, matching);
    await turn();
  }
  return found;
}

/** The globs of all lines that ask for tests, those of phases included. */
export function testGlobs(document: CompleteSpec): readonly string[] {
  const files = acceptanceLines(document).flatMap(({ check }) => (check.kind === "tests" ? [check.file] : []));
  return [...new Set(files.filter((file) => file !== undefined))];
}
