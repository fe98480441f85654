import { createHash } from "node:crypto";
import { FileRefusal, readProjectFile, walkProjectFiles } from "../../platform/project-files/index.ts";
import { readBounded } from "../reading/read-bounded.ts";
import { mergeRaw, type RawCoverage, whyTooMuch } from "./code-coverage/raw-coverage.ts";
import { type ReportedCase, withinBound } from "./read-junit.ts";
import { maxCases, maxReportBytes } from "./test-case.ts";

const maxReports = 200;
/** Of all together: each is read by the service itself. */
const maxBytesOfAll = 2 * maxReportBytes;

/** Digests of the reports that a project has: one that was there before says nothing about a run. */
export async function reportsBefore(folder: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { text } of reportsIn(folder, signal)) found.add(digestOf(text));
  return found;
}

interface NewReports {
  readonly cases: readonly ReportedCase[];
  readonly coverage: RawCoverage | undefined;
  /** Reports that take too much to be read, and why. */
  readonly problems: readonly string[];
}

/** The tests and the coverage in the reports that a command wrote. */
export async function readNewReports(
  folder: string,
  before: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<NewReports> {
  const cases: ReportedCase[] = [];
  const coverage: RawCoverage[] = [];
  const problems: string[] = [];
  for await (const { path, text } of reportsIn(folder, signal)) {
    // Also under another name: copying a file is not testing.
    if (before.has(digestOf(text))) continue;
    try {
      if (path.endsWith(".xml"))
        cases.push(...((await readBounded("junit", [text, { maxCases, suitesAre: "runs" }], { path, signal })) ?? []));
      const covered = await readCoverage(path, text, signal);
      const reason = covered === undefined ? undefined : whyTooMuch([...coverage, covered]);
      if (reason !== undefined) throw new FileRefusal("too_large", path, `${reason}, with the reports before it.`);
      if (covered !== undefined) coverage.push(covered);
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error;
      problems.push(`A report cannot be read: ${error.message}`);
    }
  }
  return { cases: withinBound(cases, maxCases), coverage: mergeRaw(coverage), problems };
}

async function readCoverage(path: string, text: string, signal: AbortSignal): Promise<RawCoverage | undefined> {
  if (path.endsWith(".info")) return readBounded("lcov", [text, { listsEveryLine: false }], { path, signal });
  const reader = path.endsWith(".json") ? "istanbul" : path.endsWith(".out") ? "goProfile" : "cobertura";
  return readBounded(reader, [text], { path, signal });
}

/** Files that tools name so. */
const reportName = /\.xml$|(?:^|\/)lcov\.info$|(?:^|\/)coverage-final\.json$|(?:^|\/)cover\w*\.out$/;

async function* reportsIn(folder: string, signal: AbortSignal) {
  const leavesOut = (name: string) => name === ".git" || name === "node_modules";
  let count = 0;
  let left = maxBytesOfAll;
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, skipsOddNames: true, signal })) {
    if (kind !== "file" || !reportName.test(path)) continue;
    count += 1;
    if (count > maxReports) return;
    try {
      const maxBytes = Math.min(maxReportBytes, left);
      const bytes = await readProjectFile(folder, path, { maxBytes, signal });
      left -= bytes.length;
      yield { path, text: bytes.toString("utf8") };
    } catch (error) {
      if (!(error instanceof FileRefusal) || error.code === "stuck") throw error;
    }
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
