import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import type { ScriptToRun } from "../scripts/run-scripts.ts";
import { changedSince, digestsOf, type FileDigests, nameChanged } from "./file-digests.ts";
import { runTests } from "./run-tests.ts";
import type { TestsResult } from "./test-case.ts";
import { isCode, listFiles, listUncounted } from "./test-files.ts";

/** What is to be known of a project's files as they were committed. */
export interface CommittedFiles {
  /** Of tests and snapshots, by their paths. */
  readonly digests: FileDigests;
  /** Code for which no coverage counts. */
  readonly uncounted: readonly string[];
}

/** Looks at the files before any program of the project runs. */
export async function readCommitted(
  document: CompleteSpec,
  folder: string,
  signal: AbortSignal,
): Promise<CommittedFiles> {
  const { tests, all } = await listFiles(document, folder, signal);
  const digests = await digestsOf(new Set([...tests, ...all.filter(isSnapshot)]), { folder, signal });
  return { digests, uncounted: await listUncounted(folder, signal) };
}

/**
 * Looks at the code after a build, which may make some: what is deployed is built in the same way. None where the document
 * asks for no coverage.
 */
export async function readBuilt(document: CompleteSpec, folder: string, signal: AbortSignal): Promise<FileDigests> {
  if (!asksForCoverage(document)) return new Map();
  const { tests, all } = await listFiles(document, folder, signal);
  const ofTests = new Set(tests);
  return digestsOf(
    all.filter((path) => isCode(path) && !ofTests.has(path)),
    { folder, signal },
  );
}

function asksForCoverage(document: CompleteSpec): boolean {
  const asks = acceptanceLines(document).some(
    ({ check }) => check.kind === "tests" && check.coverageThreshold !== undefined,
  );
  return asks || document.guardrails.min_test_coverage !== undefined;
}

/** Runs the tests; if a build, the software or a test wrote one of their files, they count as failed. */
export async function runUnchangedTests(
  sandbox: Pick<Sandbox, "runCommand" | "temporary">,
  toTest: ScriptToRun,
  { digests, uncounted }: CommittedFiles,
  built: FileDigests,
): Promise<TestsResult> {
  const changed = new Set(await changedSince(digests, toTest));
  const tested = { ...(await runTests(sandbox, toTest)), uncounted };
  for (const path of await changedSince(digests, toTest)) changed.add(path);
  // What a test compares with a snapshot that it has just written is always the same.
  const { all } = await listFiles(toTest.document, toTest.folder, toTest.signal);
  for (const path of all) if (isSnapshot(path) && !digests.has(path)) changed.add(path);
  const ofTests = `A program of the project (its build, the software or a test) changed test files: ${nameChanged(changed)}. Only tests, and their snapshots, as they were committed count.`;
  // Code that is gone, or is a comment now, needs no test to cover it.
  const sources = await changedSince(built, toTest);
  const ofSources = `A program of the project (the software, a command or a test) changed sources after the build: ${nameChanged(sources)}. Coverage counts for what was built.`;
  return {
    ...tested,
    problems: [...(changed.size > 0 ? [ofTests] : []), ...tested.problems],
    ...(sources.length > 0 && { coverageProblem: ofSources }),
  };
}

/** What tests are compared with, by the names that tools give it. */
function isSnapshot(path: string): boolean {
  return /(^|\/)__(?:image_)?snapshots__\/|\.(?:snap|snapshot|ambr|golden)$|\.approved\.\w+$/.test(path);
}
