import { createHash } from "node:crypto";
import { oneLine } from "../../platform/one-line.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { ScriptToRun } from "../scripts/run-scripts.ts";
import { codeLines } from "./code-coverage/code-lines.ts";
import { bodyAfter, countChecks } from "./count-assertions.ts";
import type { TestCase } from "./test-case.ts";
import { isWrittenIn, type Language, readText } from "./test-files.ts";

/** What the text of a test file says that it tests, whether it can run or not. */
export interface DeclaredTests {
  readonly file: string;
  readonly digest: string;
  /** Those whose names stand in the text. */
  readonly tests: readonly { readonly name: string; readonly assertions: number }[];
  /** How many tests begin in it, also those whose names are computed. */
  readonly count: number;
  readonly checks: number;
  /** Lines by which it checks something outside of tests; of a file as it is now, all of its lines. */
  readonly plain: readonly string[];
  /** It speaks of tests that are left out. */
  readonly leavesOut: boolean;
}

interface Where {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** What files of tests that could not run before declare now, by their paths. */
export async function declaredNow(
  { folder, signal, secrets }: Where & Pick<ScriptToRun, "secrets">,
  before: readonly Pick<TestCase, "hides">[],
): Promise<ReadonlyMap<string, DeclaredTests>> {
  const masker = new Masker(Object.values(secrets));
  const found = new Map<string, DeclaredTests>();
  for (const one of before.flatMap(({ hides = [] }) => hides)) {
    const text = await readText(folder, one.file, signal);
    if (text === undefined) continue;
    const now = declaredIn(one.file, text, "all lines");
    // All lines of all files may be more than the memory holds.
    const lines = one.plain.length === 0 ? [] : (await masked(now, masker)).plain;
    const left = new Set(linesWithout(one.plain, lines));
    found.set(one.file, { ...now, tests: [], plain: one.plain.filter((line) => !left.has(line)) });
  }
  return found;
}

/** Those that are not there any more; each stands for one alone. */
export function linesWithout(before: readonly string[], now: readonly string[]): readonly string[] {
  const left = Map.groupBy(now, (line) => line);
  return before.filter((line) => left.get(line)?.pop() === undefined);
}

/** How much of names and lines is still kept, of all files together. */
export interface Room {
  left: number;
}

/** Reads what files declare; those that cannot be read, or are larger than what people write, are not among them. */
export async function readDeclared(
  paths: Iterable<string>,
  { folder, signal }: Where,
  masker: Masker,
  room: Room,
): Promise<readonly DeclaredTests[]> {
  const found: DeclaredTests[] = [];
  for (const path of new Set(paths)) {
    const text = await readText(folder, path, signal);
    if (text === undefined) continue;
    const one = await masked(declaredIn(path, text), masker);
    room.left -= JSON.stringify(one).length;
    found.push(room.left >= 0 ? one : { ...one, tests: [], plain: [] });
  }
  return found;
}

/** Results keep it, for the next round. */
async function masked(declared: DeclaredTests, masker: Masker): Promise<DeclaredTests> {
  const names = await masker.maskAll(declared.tests.map(({ name }) => name));
  const plain = await masker.maskAll(declared.plain);
  return {
    ...declared,
    file: await masker.maskInSlices(declared.file),
    tests: declared.tests.map((one, at) => ({ ...one, name: oneLine(names[at]!, maxNameLength) })),
    plain: plain.map((line) => oneLine(line, maxNameLength)),
  };
}

const maxTests = 2_000;
const maxPlain = 1_000;
const maxLineLength = 4_000;
const maxNameLength = 300;

export function declaredIn(
  file: string,
  text: string,
  wants: "plain lines" | "all lines" = "plain lines",
): DeclaredTests {
  const language = languages.find((one) => isWrittenIn(file, one));
  const lines = text.split("\n");
  // What a comment keeps is no test.
  const code = codeLines(lines, language ?? "javascript").map((number) => lines[number - 1]!);
  const joined = code.join("\n");
  // Such a file of Go runs on some machines alone.
  const isTagged = language === "go" && /^\/\/(?:go:build| \+build) /m.test(text);
  const begun = language === undefined || isTagged ? [] : [...joined.matchAll(beginnings[language])];
  // Of several of one name, runs tell what the first of them checks.
  const firsts = new Map<string, number>();
  const tests = begun.slice(0, maxTests).flatMap((one, index) => {
    const text = joined.slice(one.index + one[0].length, begun[index + 1]?.index);
    const found = language && nameIn[language].exec(text.slice(0, 2 * maxNameLength));
    const name = found?.groups?.["name"];
    if (name === undefined) return [];
    const assertions = firsts.get(name) ?? countChecks(bodyAfter(text, found![0].length));
    firsts.set(name, assertions);
    return [{ name, assertions }];
  });
  return {
    file,
    digest: createHash("sha256").update(text).digest("hex"),
    tests,
    count: begun.length,
    checks: countChecks(joined),
    plain: wants === "all lines" ? code.map(start) : plainIn(code, begun.length > 0).slice(0, maxPlain),
    leavesOut: leaving.test(text),
  };
}

/** Whether a file checks something without any test in it: node:test tells of it as one test. */
export function isOneTest(file: string, text: string | undefined): boolean {
  if (text === undefined || /\bnode:test\b/.test(text)) return false;
  const { count, checks } = declaredIn(file, text);
  return count === 0 && checks > 0;
}

/** Outside of tests: in a file that has some, what is not indented. */
function plainIn(code: readonly string[], hasTests: boolean): readonly string[] {
  const checks = (line: string) =>
    hasTests ? !/^\s/.test(line) && countChecks(start(line)) > 0 : /[(]|^assert\s/.test(line);
  return code.map(start).filter((line, index) => checks(code[index]!) && !declares.test(line));
}

function start(line: string): string {
  return line.slice(0, maxLineLength).trim();
}

const languages: readonly Language[] = ["javascript", "python", "go", "rust"];

const declares =
  /^(?:[@#]|(?:import|export|from|const|let|var|function|async|def|class|use|mod|pub|fn|func|package|test|it|describe|suite|specify)\b)/;

/** By a mark, by one of several options, or because it must fail. */
const leaving =
  /(?:[.@[]|\{ ?)(?:skip|todo|ignore|only)|[{,]\s{1,40}(?:skip|todo|only) ?[:,}]|\.xfail\b|@(?:unittest\.)?expectedFailure\b/i;

/** Where a test begins; groups, hooks and fixtures are none. */
const beginnings: Readonly<Record<Language, RegExp>> = {
  javascript:
    /(?<![\w.$"'`])(?:test|it|specify)(?:\.(?!(?:describe|suite|before|after|mock|extend))\w{1,40}){0,4}\s{0,20}\(/g,
  python: /\bdef (?=test)(?<!@(?:\w{1,40}\.)?fixture(?:\([^()]{0,200}\))?\s{1,40}(?:async )?def )/g,
  // Examples may say nothing that is compared, and do not run then.
  go: /^func (?!TestMain\()(?=(?:Test|Fuzz)(?![a-z])\w*\()/gm,
  rust: /#\[(?:\w{1,40}::)?test\b/g,
};

/** Its name, behind that; none where it is computed, or written in another way than it is reported. */
const nameIn: Readonly<Record<Language, RegExp>> = {
  javascript: /^\s{0,40}(?<quote>["'`])(?<name>[^"'`\\%$\n]{1,200})\k<quote>(?=\s{0,200}[,)])/,
  python: /^(?<name>\w{1,200})/,
  go: /^(?<name>\w{1,200})/,
  rust: /^[^{;]{0,300}?\bfn (?<name>\w{1,200})/,
};
