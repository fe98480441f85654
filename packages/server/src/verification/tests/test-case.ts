import type { Coverage } from "./code-coverage/raw-coverage.ts";
import type { DeclaredTests } from "./declared-tests.ts";

/** A program that runs tests, and whose results we can count. */
export type RunnerName = "node:test" | "vitest" | "jest" | "pytest" | "unittest" | "go test" | "cargo test";

/** One test, as it ended. */
export interface TestCase {
  /** From the project's folder on; empty where the runner does not tell. */
  readonly file: string;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly durationMs: number;
  /** It failed at first and passed when it was run again, by us or by its runner. */
  readonly isFlaky: boolean;
  /** Why it failed, perhaps before it passed; else empty. */
  readonly message: string;
  /** How many assertions its text has; undefined where we cannot tell. */
  readonly assertions?: number;
  /** Nothing in it checks anything. */
  readonly isIdle?: boolean;
  /** Nobody looked whether it checks anything: there was too much to read before it. */
  readonly isUnread?: true;
  /** It tells why tests of a file, a package or a suite could not run, or failed together, and is none itself. */
  readonly isNoTest?: true;
  /** Of one that is no test: what the files declare that could not run. Undefined: nobody knows which tests these are. */
  readonly hides?: readonly DeclaredTests[];
  /** It failed so that other tests of its program could not run: the program did not compile, or ended early. */
  readonly hidesOthers?: true;
}

/** A command that ran tests or came before them. */
export interface TestRun {
  readonly command: string;
  /** Undefined: not one that we know; only its exit code counts. */
  readonly runner?: RunnerName;
  /** Whether reports that it newly writes count, where it is none that we know. */
  readonly isBelieved?: boolean;
  readonly exitCode: number | null;
  readonly isOffline: boolean;
  readonly durationMs: number;
}

/** What became of a project's tests. */
export interface TestsResult {
  readonly runs: readonly TestRun[];
  readonly cases: readonly TestCase[];
  /** Whether each test is known by name; otherwise only exit codes are. */
  readonly isCounted: boolean;
  /** Why the tests count as failed or cannot be believed, besides single tests that failed. */
  readonly problems: readonly string[];
  /** The project's test files, whether they ran or not. */
  readonly testFiles: readonly string[];
  /** What was found, for people. */
  readonly found: readonly string[];
  readonly lookedFor: readonly string[];
  readonly coverage?: Coverage;
  /** Why coverage counts as failed, whatever it is. */
  readonly coverageProblem?: string;
  /** Why there is no coverage, and what would bring it. */
  readonly noCoverage?: string;
  /** Committed code for which no coverage counts. */
  readonly uncounted: readonly string[];
  readonly durationMs: number;
  readonly log: string;
}

/** How many tests of a project are read. */
export const maxCases = 20_000;
/** A larger report is refused: reading it would hold up the service. */
export const maxReportBytes = 16 * 1024 * 1024;
