import type { RawCoverage, RawFile, RawFunction } from "./raw-coverage.ts";

/** Reads an lcov trace file. */
export function readLcov(text: string, { listsEveryLine }: { readonly listsEveryLine: boolean }): RawCoverage {
  const files: RawFile[] = [];
  let path: string | undefined;
  let lines = new Map<number, number>();
  let functions = new Map<string, RawFunction>();
  for (const row of text.split("\n")) {
    const [, kind, value = ""] = /^(SF|DA|FN|FNDA):(.*?)\r?$/.exec(row) ?? [];
    if (kind === "SF") {
      path = value;
      lines = new Map();
      functions = new Map();
    } else if (kind === "DA") {
      const [line = 0, hits = 0] = value.split(",").map(Number);
      lines.set(line, (lines.get(line) ?? 0) + count(hits));
    } else if (kind === "FN") {
      const [line = "", name = ""] = splitOnce(value);
      functions.set(name, { name, line: Number(line), hits: functions.get(name)?.hits ?? 0 });
    } else if (kind === "FNDA") {
      const [hits = "", name = ""] = splitOnce(value);
      const before = functions.get(name) ?? { name, line: 0, hits: 0 };
      functions.set(name, { ...before, hits: before.hits + count(Number(hits)) });
    } else if (row.startsWith("end_of_record") && path !== undefined) {
      files.push({ path, lines, functions: [...functions.values()] });
      path = undefined;
    }
  }
  return { method: "lcov", listsEveryLine, files };
}

function splitOnce(value: string): [string, string] {
  const comma = value.indexOf(",");
  return comma < 0 ? [value, ""] : [value.slice(0, comma), value.slice(comma + 1)];
}

/** Counters in a file may be anything. */
function count(hits: number): number {
  return Number.isFinite(hits) && hits > 0 ? 1 : 0;
}
