// @module-tag soak
import fc from "fast-check";
import { expect, test } from "vitest";
import { soakRuns } from "../../../../../tools/soak-runs.ts";
import { innerPath, summariseCoverage } from "../../../src/verification/tests/code-coverage/measure-coverage.ts";
import { readGoProfile } from "../../../src/verification/tests/code-coverage/read-go-profile.ts";
import { readIstanbul } from "../../../src/verification/tests/code-coverage/read-istanbul.ts";
import { readLcov } from "../../../src/verification/tests/code-coverage/read-lcov.ts";
import { readPythonLines } from "../../../src/verification/tests/code-coverage/read-python-lines.ts";
import { readGoEvents } from "../../../src/verification/tests/read-go-events.ts";
import { readJestJson } from "../../../src/verification/tests/read-jest-json.ts";
import { readJunit } from "../../../src/verification/tests/read-junit.ts";

/** Values that break whoever takes them for text or numbers: arrays too deep for a stack, objects that cannot become text. */
const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const odd = [
  "null",
  "true",
  '"\\u0000\\ud83d"',
  "1e308",
  "-1",
  '{"toString":1,"valueOf":1}',
  '{"__proto__":null}',
  deep,
];
const roots = ["/project"];
const source = { path: "a.js", language: "javascript", text: "let a = 1;\n" } as const;

test.each(odd)("a report with odd values in any place is read as far as it makes sense: %#", async (value) => {
  const jest = [
    `{"testResults":[${value}]}`,
    `{"testResults":[{"name":${value},"status":"failed","message":${value},"assertionResults":[${value}]}]}`,
    `{"testResults":[{"assertionResults":[{"ancestorTitles":[${value}],"title":${value},"status":${value},"duration":${value},"failureMessages":[${value}]}]}]}`,
  ];
  for (const text of jest) for (const one of readJestJson(text, 10) ?? []) expectSound(one);
  const go = `{"Action":"output","Package":${value},"Test":"T","Output":${value}}\n{"Action":"fail","Package":${value},"Test":"T","Elapsed":${value}}\n${value}`;
  for (const one of readGoEvents(go, 10) ?? []) expectSound(one);
  const istanbul = `{"a.js":{"path":${value},"s":${value},"statementMap":{"0":{"start":{"line":${value}}},"1":${value}},"fnMap":{"0":{"name":${value},"decl":${value}},"1":${value}},"f":${value}},"b.js":${value}}`;
  for (const raw of [readIstanbul(istanbul), readIstanbul(value), readPythonLines(`{"a.py":${value}}`)])
    if (raw !== undefined) expectShares(await summariseCoverage(raw, [source], { roots }));
});

test.each(["file://%", "file://%ff%fe", "file:///project/%2e%2e/%2e%2e/etc/passwd", "../../etc", "\0", ""])(
  "a report about the file %j breaks nothing",
  async (path) => {
    expect(typeof innerPath(path, roots)).toBe("string");
    const lcov = readLcov(`SF:${path}\nDA:NaN,1e999\nDA:-5,-5\nDA:1,1\nFN:1e400,f\nFNDA:Infinity,f\nend_of_record\n`, {
      listsEveryLine: false,
    });
    expectShares(await summariseCoverage(lcov, [source], { roots }));
    const profile = readGoProfile(`mode: set\n${path}x:1.1,9999.9 1 1\n`);
    expectShares(await summariseCoverage(profile!, [source], { roots }));
    const xml = `<testsuite><testcase name="a" file="${path.replace("\0", "&#0;")}" time="-1e999"/></testsuite>`;
    for (const one of (await readJunit(xml, { maxCases: 10, suitesAre: "runs" })) ?? []) expectSound(one);
  },
);

test("no JSON at all breaks a reader", { tags: "long" }, async () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
  await fc.assert(
    fc.asyncProperty(json, json, async (one, other) => {
      readJestJson(`{"testResults":${one}}`, 10);
      readJestJson(`{"testResults":[{"assertionResults":${one}},${other}]}`, 10);
      readGoEvents(`{"Action":"fail","Test":${one},"Package":${other}}\n{"Action":${one},"Output":${other}}`, 10);
      const raw = readIstanbul(`{"a.js":${one},"b.js":{"fnMap":${other},"statementMap":${one}}}`)!;
      expectShares(await summariseCoverage(raw, [source], { roots }));
      readPythonLines(one);
    }),
    { numRuns: soakRuns(100) },
  );
});

function expectSound(one: { file: string; name: string; message: string; durationMs: number }): void {
  expect([typeof one.file, typeof one.name, typeof one.message]).toEqual(["string", "string", "string"]);
  expect(one.durationMs).toBeGreaterThanOrEqual(0);
  expect(one.durationMs).toBeLessThanOrEqual(24 * 3_600_000);
}

function expectShares({ lines, functions, ratio }: Awaited<ReturnType<typeof summariseCoverage>>): void {
  expect(lines.covered).toBeLessThanOrEqual(lines.total);
  expect(functions.covered).toBeLessThanOrEqual(functions.total);
  expect(ratio >= 0 && ratio <= 1).toBe(true);
}
