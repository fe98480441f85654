import { inTurns } from "../../platform/in-turns.ts";
import type { EvidenceFile } from "../verdict.ts";
import { strongestTests } from "./compare-tests.ts";
import type { TestCase, TestsResult } from "./test-case.ts";

export const resultsPath = "verification/test-results.xml";
export const coveragePath = "verification/coverage.json";
/** What the next validation compares its tests with. */
export const casesPath = "verification/tests.json";

/** After so much of them, why tests failed is left out: there may be twenty thousand. */
const maxMessagesLength = 4 * 1024 * 1024;

/**
 * What proves the verdicts on tests: the tests as JUnit XML, and a summary of coverage; both written by us, and in turns, for
 * twenty thousand tests with odd names take seconds.
 */
export async function evidenceOf(
  result: TestsResult,
  before: readonly TestCase[] = [],
  declared?: Parameters<typeof strongestTests>[2],
): Promise<readonly EvidenceFile[]> {
  const { coverage } = result;
  const results: EvidenceFile = {
    type: "test_results",
    path: resultsPath,
    mediaType: "application/xml",
    text: await writeJunit(result),
  };
  const written: string[] = [];
  for await (const one of inTurns(strongestTests(before, result.cases, declared)))
    written.push(JSON.stringify({ ...one, message: "" }));
  const cases: EvidenceFile = {
    type: "acceptance_report",
    path: casesPath,
    mediaType: "application/json",
    text: `[${written.join(",")}]\n`,
  };
  if (coverage === undefined) return [results, cases];
  const text = `${JSON.stringify(coverage, undefined, 1)}\n`;
  return [results, cases, { type: "coverage", path: coveragePath, mediaType: "application/json", text }];
}

async function writeJunit({ cases, problems, runs, durationMs }: TestsResult): Promise<string> {
  const count = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome).length;
  const byFile = Map.groupBy(cases, ({ file }) => file);
  const suites: string[] = [];
  let left = maxMessagesLength;
  for await (const [file, inside] of inTurns(byFile)) {
    suites.push(`  <testsuite name="${escapeXml(file || "tests")}" tests="${inside.length}">\n`);
    for await (const one of inTurns(inside)) {
      left -= one.message.length;
      suites.push(writeCase(left < 0 ? { ...one, message: "" } : one));
    }
    suites.push("  </testsuite>\n");
  }
  const told = [
    ...runs.map(({ command, runner }) => ["command", `${runner ?? "script"}: ${command}`]),
    ...problems.map((problem) => ["problem", problem]),
  ];
  const properties = told
    .map(([name, value]) => `    <property name="${name}" value="${escapeXml(value!)}"/>\n`)
    .join("");
  const numbers = `tests="${cases.length}" failures="${count("failed")}" skipped="${count("skipped")}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${numbers} time="${seconds(durationMs)}">
${told.length === 0 ? "" : `  <properties>\n${properties}  </properties>\n`}${suites.join("")}</testsuites>
`;
}

function writeCase({ file, name, outcome, durationMs, isFlaky, message }: TestCase): string {
  const head = `    <testcase file="${escapeXml(file)}" name="${escapeXml(name)}" time="${seconds(durationMs)}"`;
  if (outcome === "skipped") return `${head}><skipped/></testcase>\n`;
  if (outcome === "failed") return `${head}><failure message="${escapeXml(message)}"/></testcase>\n`;
  return isFlaky ? `${head}><flakyFailure message="${escapeXml(message)}"/></testcase>\n` : `${head}/>\n`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (letter) => entities[letter]!);
}
