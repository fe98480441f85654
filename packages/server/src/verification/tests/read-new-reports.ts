import { createHash } from "node:crypto";
import { FileRefusal, openProjectFile, walkProjectFiles } from "../../platform/project-files/index.ts";
import { readBounded } from "../reading/read-bounded.ts";
import { mergeRaw, type RawCoverage, whyTooMuch } from "./code-coverage/raw-coverage.ts";
import { type ReportedCase, withinBound } from "./read-junit.ts";
import { maxCases, maxReportBytes } from "./test-case.ts";

/** Of all together: each is read by the service itself. */
const maxBytesOfAll = 2 * maxReportBytes;
/** Opening a small one takes as long as reading so much. */
const minBytes = 4 * 1024;

/** The reports that a project has: one that was there before says nothing about a run. */
interface ReportsBefore {
  readonly digests: ReadonlySet<string>;
  /** By path: of those beyond what is read, nothing else is known. */
  readonly states: ReadonlyMap<string, string>;
}

export async function reportsBefore(folder: string, signal: AbortSignal): Promise<ReportsBefore> {
  const digests = new Set<string>();
  const states = new Map<string, string>();
  for await (const { path, state, text } of reportsIn(folder, signal)) {
    states.set(path, state);
    if (text !== undefined) digests.add(digestOf(text));
  }
  return { digests, states };
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
  for await (const { path, state, text } of reportsIn(folder, signal)) {
    if (before.states.get(path) === state) continue;
    if (text === undefined) {
      // It may tell of tests that failed.
      problems.push(`A report cannot be read: '${path}' is beyond what is read of all.`);
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

interface Report {
  /** Another one once somebody has written it again. */
  readonly state: string;
  /** Undefined beyond the bounds. */
  readonly text?: string;
}

async function* reportsIn(folder: string, signal: AbortSignal): AsyncGenerator<Report & { readonly path: string }> {
  const leavesOut = (name: string) => name === ".git" || name === "node_modules";
  let left = maxBytesOfAll;
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, skipsOddNames: true, signal })) {
    if (kind !== "file" || !reportName.test(path)) continue;
    try {
      const report = await readReport(folder, path, { maxBytes: Math.min(maxReportBytes, left), signal });
      if (report.text !== undefined) left -= Math.max(minBytes, Buffer.byteLength(report.text));
      yield { path, ...report };
    } catch (error) {
      if (!(error instanceof FileRefusal) || error.code === "stuck") throw error;
      // It is gone, or was no file, unless it has grown meanwhile or belongs to somebody else.
      if (error.code === "too_large" || error.code === "unreadable") yield { path, state: error.code };
    }
  }
}

async function readReport(
  folder: string,
  path: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Report> {
  const file = await openProjectFile(folder, path, { maxBytes: Number.POSITIVE_INFINITY, signal });
  try {
    const state = `${file.identity} ${file.sizeBytes} ${file.modifiedMs}`;
    if (file.sizeBytes > maxBytes) return { state };
    const bytes = Buffer.concat(await Array.fromAsync(file.chunks(maxBytes)));
    return { state, text: bytes.toString("utf8") };
  } finally {
    await file.close();
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
