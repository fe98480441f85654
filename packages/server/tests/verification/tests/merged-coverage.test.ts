// @module-tag soak
import { expect, test } from "vitest";
import { soakSize } from "../../../../../tools/soak-runs.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { withMaskedPaths } from "../../../src/verification/tests/code-coverage/mask-paths.ts";
import { summariseCoverage } from "../../../src/verification/tests/code-coverage/measure-coverage.ts";
import { mergeRaw, type RawCoverage } from "../../../src/verification/tests/code-coverage/raw-coverage.ts";
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
  const b = { path: "b.js", lines: new Map([[1, 0]]), functions: [] };
  expect(mergeRaw([coverage([a, b]), coverage([again], "istanbul")])).toEqual({
    method: "lcov, istanbul",
    listsEveryLine: true,
    files: [
      {
        path: "a.js",
        lines: new Map([
          [1, 3],
          [2, 0],
        ]),
        functions: [{ name: "f", line: 1, hits: 3 }],
      },
      b,
    ],
  });
});

test("a report that names a large file thousands of times is added up in one go", () => {
  const lines = new Map(Array.from({ length: 100_000 }, (_, index) => [index + 1, 1]));
  const empty = { path: "a.js", lines: new Map(), functions: [] };
  // To copy the lines for each of them took minutes.
  const merged = mergeRaw([
    coverage([{ path: "a.js", lines, functions: [] }]),
    coverage(Array.from({ length: 20_000 }, () => empty)),
  ]);
  expect(merged?.files).toEqual([{ path: "a.js", lines, functions: [] }]);
});

test("paths of very many sources are masked, and others have their turns", async () => {
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
