// @module-tag soak
import { expect, test } from "vitest";
import { soakSize } from "../../../../../tools/soak-runs.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { withMaskedPaths } from "../../../src/verification/tests/code-coverage/mask-paths.ts";
import { summariseCoverage } from "../../../src/verification/tests/code-coverage/measure-coverage.ts";
import { addUp, mergeRaw, type RawCoverage } from "../../../src/verification/tests/code-coverage/raw-coverage.ts";
import { countTurns } from "../../support/count-turns.ts";

const coverage = (files: RawCoverage["files"], method = "lcov"): RawCoverage => ({
  method,
  listsEveryLine: true,
  files,
});

test("what several runs covered is added up by file, line and function", () => {
  const a = { path: "a.js", lines: new Map([[1, 1]]), functions: [{ name: "f", line: 1, hits: 1 }] };
  const again = {
    path: "a.js",
    lines: new Map([
      [1, 2],
      [2, 0],
    ]),
    functions: [{ name: "f", line: 1, hits: 2 }],
  };
  expect(addUp([a, again])).toEqual({
    path: "a.js",
    lines: new Map([
      [1, 3],
      [2, 0],
    ]),
    functions: [{ name: "f", line: 1, hits: 3 }],
  });
});

test("what several runs, or parts of one report, tell of a file is added up, whatever they call it", async () => {
  const part = (path: string, line: number, hits: number) => ({ path, lines: new Map([[line, hits]]), functions: [] });
  const reports = [
    coverage([part("a.js", 1, 1), part("a.js", 2, 0), part("a.js", 3, 1)]),
    coverage([part("/p/a.js", 4, 1), part("file:///p/a.js", 4, 0)], "istanbul"),
  ];
  const source = { path: "a.js", text: "a();\nb();\nc();\nd();\n", language: "javascript" as const };
  const { method, lines } = await summariseCoverage(mergeRaw(reports)!, [source], { roots: ["/p"] });
  expect({ method, lines }).toEqual({ method: "lcov, istanbul", lines: { covered: 3, total: 4 } });
});

test("functions of one name and line are added up one by one", () => {
  const told = (...hits: number[]) => ({
    path: "a.js",
    lines: new Map(),
    functions: hits.map((one) => ({ name: "run", line: 1, hits: one })),
  });
  expect(addUp([told(1, 0), told(1, 0)]).functions.map(({ hits }) => hits)).toEqual([2, 0]);
});

test("a report that names a large file thousands of times is added up in one go", () => {
  const lines = new Map(Array.from({ length: 100_000 }, (_, index) => [index + 1, 1]));
  const empty = { path: "a.js", lines: new Map(), functions: [] };
  // To copy the lines for each of them took minutes.
  const sum = addUp([{ path: "a.js", lines, functions: [] }, ...Array.from({ length: 20_000 }, () => empty)]);
  expect(sum).toEqual({ path: "a.js", lines, functions: [] });
});

test("paths of very many sources are masked, and others have their turns", { tags: "long" }, async () => {
  const file = {
    lines: { covered: 0, total: 1 },
    functions: { covered: 0, total: 0 },
    isLoaded: false,
    hiddenLines: 0,
  };
  const files = Array.from({ length: 20_000 }, (_, index) => ({ ...file, path: `src/open-sesame/${index}.js` }));
  const turns = countTurns();
  const masked = await withMaskedPaths(files, new Masker(["open-sesame"]), new AbortController().signal);
  expect(turns()).toBeGreaterThan(1);
  expect(masked).toHaveLength(20_000);
  expect(masked.at(-1)?.path).toMatch(/^src\/[^o]*\/19999\.js$/);
});

test("very many small sources, and very many imports, are counted", { tags: "long" }, async () => {
  const source = (path: string, text: string) => ({ path, text, language: "javascript" as const });
  const count = soakSize(130_000, 2_000);
  const small = Array.from({ length: count }, (_, index) => source(`src/${index}.js`, "a"));
  const imports = (file: number) =>
    Array.from({ length: 1_900 }, (_, index) => `import"./${file}/${index}";`).join("\n");
  const importing = Array.from({ length: 70 }, (_, index) => source(`${index}.js`, imports(index)));
  let imported = 0;
  const follow = async (found: Iterable<string>) => {
    imported += [...found].length;
    return undefined;
  };
  const { files } = await summariseCoverage(coverage([]), [...importing, ...small], { roots: [], follow });
  expect(files).toHaveLength(count + 70);
  expect(imported).toBe(70 * 1_900);
});
