import type { RawCoverage } from "../code-coverage/raw-coverage.ts";
import type { ReportedCase } from "../read-junit.ts";
import type { ReportFolder } from "../report-folder.ts";
import type { RunnerName } from "../test-case.ts";

/** What a runner is asked to do. */
export interface RunPlan {
  readonly reports: ReportFolder;
  /** The arguments that the project's own script gives the runner. */
  readonly words: readonly string[];
  /** The only files to run, instead of those that the arguments name. */
  readonly only?: readonly string[] | undefined;
  /** All test files of the runner's language. */
  readonly files: readonly string[];
  /** Tests of ours among them, which must fail. */
  readonly traps: readonly string[];
  readonly coverage: CoverageMeans;
  /** The way to the `node_modules` that has the runner, such as `../../`. */
  readonly modulesIn: string;
}

/** How coverage is measured, or why it is not. */
export type CoverageMeans = { readonly by: string } | { readonly missing: string };

interface ReadOptions {
  readonly maxCases: number;
  /** The project's folder, as programs may name it. */
  readonly roots: readonly string[];
}

/** A program that runs tests: how we call it, and how we read what it reports. */
export interface Runner {
  readonly name: RunnerName;
  /** The command, with our reports; a stranger's script never writes them. */
  command(plan: RunPlan): string;
  /** A test file of ours beside one of the project's, whose tests fail where results are honest. */
  trap?(beside: string, token: string, text: string): { readonly path: string; readonly text: string } | undefined;
  /** Undefined if it ended without a report. */
  readCases(reports: ReportFolder, options: ReadOptions): Promise<readonly ReportedCase[] | undefined>;
  readCoverage(reports: ReportFolder): Promise<RawCoverage | undefined>;
}

/** The path beside another file, with the same endings: `a/b.test.ts` → `a/<name>.test.ts`. */
export function beside(path: string, name: string): string {
  const slash = path.lastIndexOf("/") + 1;
  const file = path.slice(slash);
  const ending = /(?:[._-](?:test|spec|tests|specs))?\.[^.]+$/.exec(file)?.[0] ?? "";
  return `${path.slice(0, slash)}${name}${ending}`;
}
