// @module-tag soak
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { FileRefusal } from "../../../src/platform/project-files/index.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { TemporaryFolders } from "../../../src/platform/temporary-folders.ts";
import { readBounded } from "../../../src/verification/reading/read-bounded.ts";
import type { Readers } from "../../../src/verification/reading/readers.ts";
import { summariseCoverage } from "../../../src/verification/tests/code-coverage/measure-coverage.ts";
import type { Workplace } from "../../../src/verification/tests/execute.ts";
import { readNewReports, reportsBefore } from "../../../src/verification/tests/read-new-reports.ts";
import { withReportFolder } from "../../../src/verification/tests/report-folder.ts";
import { toCases } from "../../../src/verification/tests/to-cases.ts";
import { measureHolding } from "../../support/measure-holding.ts";
import { folderWith } from "../../support/scans/scan-files.ts";

const { signal } = new AbortController();
const junit = { maxCases: 20_000, suitesAre: "runs" } as const;
const to = (path: string) => ({ path, signal });

const nothingBefore = { digests: new Set<string>(), states: new Map<string, string>() };

test("a report of megabytes is read beside the service, not instead of it", { tags: "long" }, async () => {
  const cases = Array.from({ length: 30_000 }, (_, at) => `<testcase name="case ${at}" file="a.js" time="0.01"/>`);
  const xml = `<testsuites><testsuite name="all">${cases.join("\n")}</testsuite></testsuites>`;
  const { done, heldMs, tookMs } = await measureHolding(() => readBounded("junit", [xml, junit], to("junit.xml")));
  expect(done).toHaveLength(20_000);
  expect(done?.[7]).toMatchObject({ file: "a.js", name: "case 7", outcome: "passed" });
  expect(heldMs).toBeLessThan(tookMs / 2);
});

const lists = `{"testResults":[${"[],".repeat(1_000_000)}1]}`;
const packages = Array.from({ length: 5_000 }, (_, at) => ({
  ...{ ecosystem: "npm", name: `a${at}${"/".repeat(200)}`, version: "1.0.0", license: undefined },
  ...{ path: "package-lock.json", line: 1, isDevelopment: false },
}));
const blank = "\n".repeat(4_000_000);

test.each<[string, keyof Readers, readonly unknown[]]>(
  soakCases([
    ["Jest's results", "jest", [lists, 10]],
    ["Istanbul's coverage", "istanbul", [lists]],
    ["our lines of Python", "pythonLines", [lists]],
    ["events of Go", "goEvents", [blank, 10, ""]],
    ["what the Go compiler said", "goEvents", ["", 10, blank]],
    ["a profile of Go", "goProfile", [`mode: set${blank}`]],
    ["Cargo's output", "cargo", [blank, 10]],
    ["an lcov file", "lcov", [blank, { listsEveryLine: true }]],
    ["source files", "coverageOfFiles", [[{ source: { path: "a.js", text: blank, language: "javascript" } }], true]],
    ["a lockfile", "components", [Buffer.from(`{"packages":[${"[],".repeat(1_000_000)}1]}`), "package-lock.json"]],
    ["a bill of materials", "sbom", [packages, { name: "a", version: undefined, now: new Date(0) }]],
    ["locked versions", "lockedVersions", [Buffer.from(lists), ["a"]]],
  ]),
)("the service goes on while it reads %s of megabytes", { tags: "long" }, async (_, reader, args) => {
  const { heldMs, tookMs } = await measureHolding(() =>
    readBounded(reader, args as never, { ...to("report"), isSlow: reader === "coverageOfFiles" }),
  );
  expect(heldMs).toBeLessThan(tookMs / 2);
});

test.each([
  ["needs too much memory to be read", { heapMb: 16 }],
  ["takes longer than 0.001 s to be read", { cpuLimitMs: 1 }],
])("a text that %s is refused by its name", { tags: "long" }, async (reason, bounds) => {
  const reading = readBounded("jest", [lists, 10], { path: "jest.json", signal, bounds });
  await expect(reading).rejects.toThrow(`'jest.json' ${reason}.`);
});

test("a report that says more than can be added up is refused by its name, in a thread or not", {
  tags: "long",
}, async () => {
  const lines = Array.from({ length: 310_000 }, (_, at) => `DA:${at + 1},1`).join("\n");
  const lcov = `SF:a.js\n${lines}\nend_of_record\n`;
  await expect(readBounded("lcov", [lcov, { listsEveryLine: false }], to("lcov.info"))).rejects.toThrow(
    "'lcov.info' tells of more than 300000 lines.",
  );
  const profile = "mode: set\na/a.go:1.1,400000.1 1 1\n";
  await expect(readBounded("goProfile", [profile], to("cover.out"))).rejects.toBeInstanceOf(FileRefusal);
  const folder = await folderWith({ "lcov.info": lcov, "cover.out": "mode: set\na/a.go:1.1,2.1 1 1\n" });
  const { coverage, problems } = await readNewReports(folder, nothingBefore, signal);
  expect(coverage?.method).toBe("go cover");
  expect(problems).toEqual(["A report cannot be read: 'lcov.info' tells of more than 300000 lines."]);
});

test("reports that say too much together are not added up", { tags: "long" }, async () => {
  const lcov = (from: number) =>
    `SF:a.js\n${Array.from({ length: 200_000 }, (_, at) => `DA:${from + at},1`).join("\n")}\nend_of_record\n`;
  const folder = await folderWith({ "a/lcov.info": lcov(1), "b/lcov.info": lcov(200_001) });
  const { coverage, problems } = await readNewReports(folder, nothingBefore, signal);
  expect(coverage?.files[0]?.lines.size).toBe(200_000);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("lcov.info' tells of more than 300000 lines, with the reports before it.");
});

test("of many reports that were there before, one that a run writes again is read, or told if it is too large", async () => {
  const report = (name: string, isBad = false) =>
    `<testsuite><testcase name="${name}" file="a.js">${isBad ? "<failure/>" : ""}</testcase></testsuite>`;
  const many = Array.from({ length: 201 }, (_, at) => [`out/${String(at).padStart(3, "0")}.xml`, report(`t${at}`)]);
  const large = `${report("large")}${" ".repeat(17 * 1024 * 1024)}`;
  const folder = await folderWith({ ...Object.fromEntries(many), "out/large.xml": large, "out/other.xml": large });
  const before = await reportsBefore(folder, signal);
  expect(await readNewReports(folder, before, signal)).toEqual({ cases: [], coverage: undefined, problems: [] });
  await writeFile(join(folder, "out/200.xml"), report("again", true));
  await writeFile(join(folder, "out/large.xml"), large);
  const { cases, problems } = await readNewReports(folder, before, signal);
  expect(cases).toMatchObject([{ name: "again", outcome: "failed" }]);
  expect(problems).toEqual(["A report cannot be read: 'out/large.xml' is beyond what is read of all."]);
});

test("a large Cobertura file comes back whole; one that is no XML is none", async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => `<line number="${at + 1}" hits="${at % 2}"/>`).join("");
  const xml = `<coverage><packages><package><classes><class filename="a.py"><lines>${rows}</lines></class></classes></package></packages></coverage>`;
  const found = await readBounded("cobertura", [xml], to("cobertura.xml"));
  expect(found?.files[0]?.lines.size).toBe(10_000);
  expect(await readBounded("cobertura", ["x".repeat(200_000)], to("cobertura.xml"))).toBeUndefined();
});

test("padding hides no source from coverage", async () => {
  const raw = { method: "lcov", listsEveryLine: false, files: [] };
  const text = `${"\n".repeat(200_000)}export const a = () => 1;\n`;
  const { files } = await summariseCoverage(raw, [{ path: "a.js", text, language: "javascript" }], {
    roots: [],
    signal,
  });
  expect(files).toMatchObject([{ path: "a.js", isLoaded: false, lines: { covered: 0, total: 1 } }]);
});

test("tests that share a large file are looked up in turns", async () => {
  const folder = await folderWith({ "a.rs": "fn a(".repeat(150_000) });
  const place = { masker: new Masker([]), roots: [folder], toTest: { folder, signal } } as unknown as Workplace;
  const one = { file: "a.rs", name: "a", outcome: "passed", durationMs: 1, message: "" } as const;
  const reported = Array.from({ length: 60 }, () => one);
  const { done, heldMs, tookMs } = await measureHolding(() => toCases(place, reported, "cargo test"));
  expect(done).toHaveLength(60);
  expect(heldMs).toBeLessThan(tookMs / 2);
});

test("a report that a run did not write says nothing", async () => {
  const temporary = new TemporaryFolders({ dataFolder: "data" });
  const read = withReportFolder(temporary, signal, (reports) => reports.readAs("jest.json", "jest", 10));
  expect(await read).toBeUndefined();
});

test("however many large reports there are, two threads read", async () => {
  let [alive, most] = [0, 0];
  const onWorker = (worker: Worker) => {
    alive += 1;
    most = Math.max(most, alive);
    worker.once("exit", () => {
      alive -= 1;
    });
  };
  process.on("worker", onWorker);
  onTestFinished(() => void process.off("worker", onWorker));
  const xml = `<testsuites><testcase name="a" file="a.js"/>${" ".repeat(200_000)}</testsuites>`;
  const cancelled = new AbortController();
  const unwanted = readBounded("junit", [xml, junit], { path: "junit.xml", signal: cancelled.signal });
  cancelled.abort(new Error("cancelled"));
  const reading = Array.from({ length: 6 }, () => readBounded("junit", [xml, junit], to("junit.xml")));
  await expect(unwanted).rejects.toThrow("cancelled");
  for (const cases of await Promise.all(reading)) expect(cases).toHaveLength(1);
  expect(most).toBe(2);
});

test("reading ends with the project", async () => {
  const stop = new AbortController();
  const xml = `<testsuites>${"<testsuite>".repeat(40_000)}`;
  const reading = readBounded("junit", [xml, junit], { path: "junit.xml", signal: stop.signal });
  stop.abort(new Error("cancelled"));
  await expect(reading).rejects.toThrow("cancelled");
});
