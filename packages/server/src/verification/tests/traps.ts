import { dirname } from "node:path/posix";
import { inTurns } from "../../platform/in-turns.ts";
import { shortened } from "../../platform/one-line.ts";
import { FileRefusal, removeProjectFile, writeProjectFile } from "../../platform/project-files/index.ts";
import type { CommandEnd } from "../../platform/sandbox/index.ts";
import { rustTestPlaces } from "./locate-rust-tests.ts";
import type { Runner } from "./runners/runner.ts";
import type { RunnerName, TestCase } from "./test-case.ts";
import { readText } from "./test-files.ts";

/**
 * A test file of ours among the project's, for the time of a run. Its tests fail. Where they are reported otherwise,
 * somebody turns failures into successes: a stubbed runner, a hook, a forced exit.
 */
export interface Trap {
  readonly path: string;
  /** In the names of its tests. */
  readonly token: string;
}

interface Where {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** All files of the project. */
  readonly all: readonly string[];
  readonly tests: readonly string[];
  readonly token: () => string;
}

/** Hooks of a folder, such as conftest.py, count for that folder. */
const hookedByFolder: readonly RunnerName[] = ["pytest", "unittest", "go test"];
/** Projects inside of a project may have settings of their own; each file of tests starts a program or two. */
const hookedByProject: readonly RunnerName[] = ["jest", "vitest"];

function maxTraps(runner: RunnerName): number {
  if (hookedByFolder.includes(runner)) return 500;
  return hookedByProject.includes(runner) ? 20 : 1;
}

export async function layTraps(runner: Runner, where: Where): Promise<readonly Trap[]> {
  if (runner.trap === undefined) return [];
  const { folder, signal, token } = where;
  const besides = runner.name === "cargo test" ? await rustTestPlaces(where) : where.tests;
  const byFolder = new Map(besides.map((path) => [dirname(path), path]));
  const chosen = atRandom([...byFolder.values()], maxTraps(runner.name));
  const traps: Trap[] = [];
  for (const path of chosen) {
    const name = token();
    const trap = runner.trap(path, name, (await readText(folder, path, signal)) ?? "");
    if (trap === undefined) continue;
    await writeProjectFile(folder, trap.path, trap.text, { signal });
    traps.push({ path: trap.path, token: name });
  }
  return traps;
}

/** Some of many, so that nobody knows which folders are left out. */
function atRandom(paths: readonly string[], max: number): readonly string[] {
  if (max === 1 || paths.length <= max) return paths.slice(0, max);
  const shuffled = paths.map((path) => ({ path, at: Math.random() })).sort((a, b) => a.at - b.at);
  return shuffled.slice(0, max).map(({ path }) => path);
}

/** The project may have removed or replaced them. */
export async function removeTraps({ folder }: Pick<Where, "folder">, traps: readonly Trap[]): Promise<void> {
  for (const { path } of traps) {
    await removeProjectFile(folder, path).catch((error: unknown) => {
      if (!(error instanceof FileRefusal)) throw error;
    });
  }
}

/** A trap, with what is reported of its tests. */
interface SprungTrap extends Trap {
  readonly cases: readonly TestCase[];
}

/** Looks for the tests of all traps at once, and in turns: there may be 500, and 20,000 tests with long names. */
export async function springTraps(cases: readonly TestCase[], traps: readonly Trap[]): Promise<readonly SprungTrap[]> {
  const sprung = traps.map((trap) => ({ ...trap, cases: [] as TestCase[] }));
  if (traps.length === 0) return sprung;
  const byToken = new Map(sprung.map((trap) => [trap.token, trap]));
  const anyToken = new RegExp([...byToken.keys()].join("|"), "g");
  for await (const one of inTurns(cases)) {
    const tokens = new Set(`${one.name}\0${one.file}`.match(anyToken));
    for (const token of tokens) byToken.get(token)!.cases.push(one);
  }
  return sprung;
}

const testsInTrap = 2;
const maxQuoted = 300;

/** Why a report cannot be believed: our tests did not fail in it. */
export function whyUntrusted(
  runner: RunnerName,
  cases: readonly TestCase[],
  traps: readonly SprungTrap[],
  { exitCode, output }: Pick<CommandEnd, "exitCode" | "output">,
): readonly string[] {
  const isByFolder = hookedByFolder.includes(runner);
  const cutOff = new Set(cases.flatMap(({ file, hidesOthers }) => (hidesOthers ? [folderOf(file, isByFolder)] : [])));
  const ofTraps = traps
    // What did not compile, or ended early, has failed anyway, and says why.
    .filter((trap) => trap.cases.length > 0 || !cutOff.has(folderOf(trap.path, isByFolder)));
  if (ofTraps.length === 0) return [];
  const folders = new Set(cases.map(({ file }) => dirname(file)));
  const missing = ofTraps.filter(({ cases, path }) => isByFolder && cases.length === 0 && folders.has(dirname(path)));
  const green = ofTraps.filter((trap) => trap.cases.some(({ outcome }) => outcome !== "failed"));
  // A file that could not be loaded is reported as one failure.
  const broken = ofTraps.find((trap) => trap.cases.length > 0 && trap.cases.length < testsInTrap);
  const problems: string[] = [];
  if (green.length > 0 || exitCode === 0)
    problems.push(
      `${runner} reports success for tests that fail: something in the project (a hook, a plugin, a replaced runner or a forced exit code) turns failures green. Remove it.`,
    );
  else if (broken !== undefined)
    problems.push(
      `${runner} reports ${broken.cases.length} of ${testsInTrap} tests of a file that was added beside '${dirname(broken.path)}': ${shortened(broken.cases[0]!.message, maxQuoted)}`,
    );
  else if (missing.length > 0 || ofTraps.every((trap) => trap.cases.length === 0))
    problems.push(
      `${runner} does not run a test file that was added beside '${nameOf(ofTraps, missing)}'. Let its configuration include tests by pattern, not one by one.`,
    );
  const late = ofTraps.flatMap((trap) => trap.cases).find(({ message }) => /\bfailed on teardown with\b/.test(message));
  if (runner === "pytest" && late !== undefined)
    problems.push(`pytest reports an error after the last test: ${shortened(late.message, maxQuoted)}`);
  if (runner === "vitest" && /^[ \t]*⎯+ Unhandled (?:Errors?|Rejections?) ⎯+[ \t]*$/m.test(withoutColours(output)))
    problems.push("vitest reports errors outside of tests (Unhandled Errors).");
  return problems;
}

/** Where a failure may hide others: in its folder, or anywhere. */
function folderOf(path: string, isByFolder: boolean): string {
  return isByFolder ? path.slice(0, path.lastIndexOf("/") + 1) : "";
}

function nameOf(all: readonly { readonly path: string }[], missing: readonly { readonly path: string }[]): string {
  const { path } = missing[0] ?? all[0]!;
  return dirname(path);
}

function withoutColours(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}
