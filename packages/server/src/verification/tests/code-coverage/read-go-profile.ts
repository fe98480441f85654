import type { RawCoverage } from "./raw-coverage.ts";

/** A small file may name blocks of millions of lines. */
const maxLines = 5_000_000;

/** Reads a Go cover profile. Its paths begin with the module's name; functions are found in the source texts. */
export function readGoProfile(text: string): RawCoverage | undefined {
  if (!text.startsWith("mode:")) return undefined;
  const files = new Map<string, Map<number, number>>();
  let left = maxLines;
  for (const row of text.split("\n")) {
    const found = /^(.+):(\d{1,7})\.\d+,(\d{1,7})\.\d+ \d+ (\d+)$/.exec(row);
    if (found === null) continue;
    const [, path = "", from, to, hits] = found;
    const lines = files.get(path) ?? new Map<number, number>();
    left -= Math.max(0, Number(to) - Number(from) + 1);
    // What comes after them may not be covered.
    if (left < 0) throw new Error(`tells of more than ${maxLines} lines`);
    for (let line = Number(from); line <= Number(to); line += 1)
      lines.set(line, Math.max(lines.get(line) ?? 0, Number(hits) > 0 ? 1 : 0));
    files.set(path, lines);
  }
  const all = [...files].map(([path, lines]) => ({ path, lines, functions: [] }));
  return { method: "go cover", listsEveryLine: false, files: all };
}
