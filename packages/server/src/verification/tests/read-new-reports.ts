import { createHash } from "node:crypto";
import { FileRefusal, readProjectFile, walkProjectFiles } from "../../platform/project-files/index.ts";
import { type ReportedCase, readJunit } from "./read-junit.ts";
import { maxCases, maxReportBytes } from "./test-case.ts";

const maxReports = 200;

/** What JUnit files a project has, by their content: one that was there before says nothing about a run. */
export async function reportsBefore(folder: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { path, text } of reportsIn(folder, signal)) found.set(path, digestOf(text));
  return found;
}

/** The tests of the JUnit files that a command wrote. */
export async function readNewReports(
  folder: string,
  before: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<{ readonly cases: readonly ReportedCase[] }> {
  const known = new Set(before.values());
  const cases: ReportedCase[] = [];
  for await (const { text } of reportsIn(folder, signal)) {
    // Also under another name: copying a file is not testing.
    if (known.has(digestOf(text))) continue;
    cases.push(...((await readJunit(text, { maxCases, suitesAre: "runs" })) ?? []));
  }
  return { cases: cases.slice(0, maxCases) };
}

async function* reportsIn(folder: string, signal: AbortSignal) {
  const leavesOut = (name: string) => name === ".git" || name === "node_modules";
  let count = 0;
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, skipsOddNames: true, signal })) {
    if (kind !== "file" || !/\.xml$/i.test(path)) continue;
    count += 1;
    if (count > maxReports) return;
    try {
      const text = (await readProjectFile(folder, path, { maxBytes: maxReportBytes, signal })).toString("utf8");
      if (/<testsuites?[\s>]/.test(text.slice(0, 2_000))) yield { path, text };
    } catch (error) {
      if (!(error instanceof FileRefusal) || error.code === "stuck") throw error;
    }
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
