import { createHash } from "node:crypto";
import { FileRefusal, readProjectFile, walkProjectFiles } from "../../platform/project-files/index.ts";
import { readBounded } from "../reading/read-bounded.ts";
import { mergeRaw, type RawCoverage, whyTooMuch } from "./code-coverage/raw-coverage.ts";
import { type ReportedCase, withinBound } from "./read-junit.ts";
import { maxCases, maxReportBytes } from "./test-case.ts";

const maxReports = 200;
/** Of all together: each is read by the service itself. */
const maxBytesOfAll = 2 * maxReportBytes;

/** The reports that a project has: one that was there before says nothing about a run. */
interface ReportsBefore {
  readonly digests: ReadonlySet<string>;
  /** Paths of those beyond what is read. */
  readonly unread: ReadonlySet<string>;
}

export async function reportsBefore(folder: string, signal: AbortSignal): Promise<ReportsBefore> {
  const digests = new Set<string>();
  const unread = new Set<string>();
  for await (const { path, text } of reportsIn(folder, signal)) {
    if (text === undefined) unread.add(path);
    else digests.add(digestOf(text));
  }
  return { digests, unread };
}

interface NewReports {
  readonly cases: readonly ReportedCase[];
  readonly coverage: RawCoverage | undefined;
  /** Reports that take too much to be read, and why. */
  readonly problems: readonly string[];
}

/** The tests and the coverage in the reports that a command wrote. */
export async function readNewReports(folder: string, before: ReportsBefore, signal: AbortSignal): Promise<NewReports> {
  const cases: ReportedCase[] = [];
  const coverage: RawCoverage[] = [];
  const problems: string[] = [];
  for await (const { path, text } of reportsIn(folder, signal)) {
    if (text === undefined) {
      // It may tell of tests that failed.
      if (!before.unread.has(path)) problems.push(`A report cannot be read: '${path}' is beyond what is read of all.`);
      continue;
    }
    // Also under another name: copying a file is not testing.
    if (before.digests.has(digestOf(text))) continue;
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

/** Those beyond the bounds come without their text. */
async function* reportsIn(
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly path: string; readonly text: string | undefined }> {
  const leavesOut = (name: string) => name === ".git" || name === "node_modules";
  let count = 0;
  let left = maxBytesOfAll;
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, skipsOddNames: true, signal })) {
    if (kind !== "file" || !reportName.test(path)) continue;
    count += 1;
    if (count > maxReports) {
      yield { path, text: undefined };
      continue;
    }
    try {
      const maxBytes = Math.min(maxReportBytes, left);
      const bytes = await readProjectFile(folder, path, { maxBytes, signal });
      left -= bytes.length;
      yield { path, text: bytes.toString("utf8") };
    } catch (error) {
      if (!(error instanceof FileRefusal) || error.code === "stuck") throw error;
      if (error.code === "too_large") yield { path, text: undefined };
    }
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
