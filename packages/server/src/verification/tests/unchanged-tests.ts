import { createHash } from "node:crypto";
import type { CompleteSpec } from "@slipway/spec";
import { FileRefusal, openProjectFile } from "../../platform/project-files/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { runTests, type ToTest } from "./run-tests.ts";
import type { TestsResult } from "./test-case.ts";
import { listFiles, listUncounted } from "./test-files.ts";

/** What is to be known of a project's files as they were committed. */
export interface CommittedFiles {
  /** Of tests and snapshots, by their paths. */
  readonly digests: ReadonlyMap<string, TestDigest>;
  /** Code for which no coverage counts. */
  readonly uncounted: readonly string[];
}

interface TestDigest {
  readonly digest: string;
  readonly bytes: number;
}

/** Looks at the files before any program of the project runs. */
export async function readCommitted(
  document: CompleteSpec,
  folder: string,
  signal: AbortSignal,
): Promise<CommittedFiles> {
  const { tests, all } = await listFiles(document, folder, signal);
  const found = new Map<string, TestDigest>();
  for (const path of [...tests, ...all.filter(isSnapshot)])
    found.set(path, await digestOf(folder, path, { maxBytes: maxCommittedBytes, signal }));
  return { digests: found, uncounted: await listUncounted(folder, signal) };
}

/** Runs the tests; if a build, the software or a test wrote one of their files, they count as failed. */
export async function runUnchangedTests(
  sandbox: Pick<Sandbox, "runCommand" | "temporary">,
  toTest: ToTest,
  { digests, uncounted }: CommittedFiles,
): Promise<TestsResult> {
  const changed = new Set(await changedSince(digests, toTest));
  const tested = { ...(await runTests(sandbox, toTest)), uncounted };
  for (const path of await changedSince(digests, toTest)) changed.add(path);
  // What a test compares with a snapshot that it has just written is always the same.
  const { all } = await listFiles(toTest.document, toTest.folder, toTest.signal);
  for (const path of all) if (isSnapshot(path) && !digests.has(path)) changed.add(path);
  if (changed.size === 0) return tested;
  const names = [...changed].slice(0, maxNamed).join(", ") + (changed.size > maxNamed ? ", …" : "");
  const problem = `A program of the project (its build, the software or a test) changed test files: ${names}. Only tests, and their snapshots, as they were committed count.`;
  return { ...tested, problems: [problem, ...tested.problems] };
}

/** What tests are compared with, by the names that tools give it. */
function isSnapshot(path: string): boolean {
  return /(^|\/)__(?:image_)?snapshots__\/|\.(?:snap|snapshot|ambr|golden)$|\.approved\.\w+$/.test(path);
}

const maxNamed = 5;
/** What is larger is not accepted as a result. */
const maxCommittedBytes = 512 * 1024 ** 2;

async function changedSince(
  digests: CommittedFiles["digests"],
  { folder, signal }: ToTest,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [path, { digest, bytes }] of digests) {
    // A larger one has changed, and may be so large that reading it would never end.
    const now = await digestOf(folder, path, { maxBytes: bytes, signal });
    if (now.digest !== digest) changed.push(path);
  }
  return changed;
}

/** Of a file that cannot be read: why, which may change as well. */
async function digestOf(
  folder: string,
  path: string,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<TestDigest> {
  try {
    const file = await openProjectFile(folder, path, options);
    try {
      const hash = createHash("sha256");
      for await (const chunk of file.chunks()) hash.update(chunk);
      return { digest: hash.digest("hex"), bytes: file.sizeBytes };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return { digest: error.code, bytes: 0 };
    throw error;
  }
}
