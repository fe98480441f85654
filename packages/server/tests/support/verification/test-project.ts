import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { resolveSpec, type SpecDocument } from "@slipway/spec";
import { onTestFinished } from "vitest";
import { createSandbox, type Sandbox, type SharedFolder } from "../../../src/platform/sandbox/index.ts";
import {
  judgeTests,
  readBuilt,
  readCommitted,
  runUnchangedTests,
  type TestsResult,
} from "../../../src/verification/tests/index.ts";
import type { LineVerdict } from "../../../src/verification/verdict.ts";
import { noBubblewrap } from "../sandboxes.ts";

type Part = Partial<Pick<SpecDocument, "guardrails" | "acceptance" | "scripts" | "timeouts" | "phases">>;

/** A resolved document with these parts. */
export function documentWith(part: Part = {}) {
  const document = { spec_version: "1.0", id: "tested", name: "Tested", description: "d", outcome_type: "library" };
  return resolveSpec({ ...document, stack: {}, acceptance: {}, ...part } as unknown as SpecDocument).document;
}

let sandbox: Promise<Sandbox> | undefined;

/** One for all tests of a file: finding out what the machine can do takes longer than most of them. */
export function sharedSandbox(): Promise<Sandbox> {
  const mode = noBubblewrap === undefined ? "auto" : "none";
  sandbox ??= createSandbox({ mode, dataFolder: join(tmpdir(), "slipway-tested-data") });
  return sandbox;
}

/** Writes files into a new folder, which is gone after the test. */
export function writeProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-tested-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

interface Options {
  readonly secrets?: Readonly<Record<string, string>>;
  readonly minuteMs?: number;
  readonly cache?: SharedFolder;
}

interface Tested {
  readonly result: TestsResult;
  /** By pointer. */
  readonly verdicts: Readonly<Record<string, LineVerdict>>;
}

/** Runs the tests of a folder, whose files count as committed, and judges them. */
export async function testFolder(folder: string, part: Part = {}, options: Options = {}): Promise<Tested> {
  const document = documentWith(part);
  const { signal } = new AbortController();
  const toTest = {
    ...{ document, folder, minuteMs: 60_000, cache: undefined, secrets: {}, ...options, signal },
    openLog: () => ({ write: () => undefined, end: () => undefined }),
  };
  const committed = await readCommitted(document, folder, signal);
  const built = await readBuilt(document, folder, signal);
  const result = await runUnchangedTests(await sharedSandbox(), toTest, committed, built);
  const judged = await judgeTests(document, result, signal);
  const verdicts = Object.fromEntries(judged.map((line) => [line.pointer, line]));
  return { result, verdicts };
}

/** Writes a project, runs its tests, and judges them. */
export function testProject(
  files: Readonly<Record<string, string>>,
  part: Part = {},
  options: Options = {},
): Promise<Tested> {
  return testFolder(writeProject(files), part, options);
}
