import { type Json, objectIn, textIn } from "../report-values.ts";
import type { RawCoverage, RawFile } from "./raw-coverage.ts";

/** Reads Istanbul's JSON (`coverage-final.json`), as Vitest and Jest write it. */
export function readIstanbul(text: string): RawCoverage | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof root !== "object" || root === null || Array.isArray(root)) return undefined;
  const files = Object.entries(root as Json).map(([path, file]) => fileOf(path, objectIn(file)));
  return { method: "istanbul", listsEveryLine: false, files };
}

function fileOf(path: string, file: Json): RawFile {
  const statements = objectIn(file["s"]);
  const lines = new Map<number, number>();
  for (const [id, place] of Object.entries(objectIn(file["statementMap"]))) {
    const line = lineOf(objectIn(place)["start"]);
    // A line with several statements counts as covered only if all of them ran.
    if (line > 0) lines.set(line, Math.min(lines.get(line) ?? 1, hitsIn(statements, id)));
  }
  const calls = objectIn(file["f"]);
  const functions = Object.entries(objectIn(file["fnMap"])).map(([id, about]) => {
    const { name, decl, loc } = objectIn(about);
    const line = lineOf(objectIn(decl)["start"]) || lineOf(objectIn(loc)["start"]);
    return { name: textIn(name) || id, line, hits: hitsIn(calls, id) };
  });
  return { path: typeof file["path"] === "string" ? file["path"] : path, lines, functions };
}

/** What is not counted did not run. */
function hitsIn(counts: Json, id: string): number {
  const hits = counts[id];
  return typeof hits === "number" && hits > 0 ? 1 : 0;
}

function lineOf(start: unknown): number {
  const line = objectIn(start)["line"];
  return typeof line === "number" ? line : 0;
}
