import type { Cause } from "../../platform/cause-line.ts";
import { takeTurns } from "../../platform/in-turns.ts";
import { oneLine, shortened } from "../../platform/one-line.ts";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";
import { innerPath } from "./code-coverage/measure-coverage.ts";
import { checksOf } from "./count-assertions.ts";
import { isOneTest } from "./declared-tests.ts";
import type { Workplace } from "./execute.ts";
import { findHidden } from "./find-hidden.ts";
import type { ReportedCase } from "./read-junit.ts";
import { maxCases, type RunnerName, type TestCase } from "./test-case.ts";
import { maxPaddedBytes } from "./test-files.ts";

const maxMessageLength = 1_000;
const maxNameLength = 300;
/** What is masked of a name, most of which nobody will see. */
const maxMaskedLength = 4_000;
/** For each test the text of its file is read: what is beyond this is not looked at. */
const maxTextRead = 500 * 1024 * 1024;

/** Names of tests that could not run, and lines of their files: results keep no more of them. */
const maxDeclared = 4 * 1024 * 1024;

/** Nobody writes longer test files: what is in one counts as no check. */
const maxTestLength = 1024 * 1024;
const unread = { assertions: 0, isIdle: true };
/** How long a file is that is too large to be read at all. */
const tooLong = Number.POSITIVE_INFINITY;

/** Names and messages for people: masked, on one line, not endless; paths from the project's folder on. */
export async function toCases(
  place: Workplace,
  reported: readonly ReportedCase[],
  runner: RunnerName | undefined,
): Promise<readonly TestCase[]> {
  const { masker, roots, toTest } = place;
  let [textFile, text, left]: [string, string | undefined, number] = ["", undefined, maxTextRead];
  let length = 0;
  let maskedFile = "";
  const room = { left: maxDeclared };
  const cases: TestCase[] = [];
  // Thousands of tests may share a file, and have long messages.
  const turn = takeTurns(toTest.signal);
  for (const one of reported.slice(0, maxCases + 100)) {
    await turn();
    const file = oneLine(innerPath(one.file, roots), maxNameLength);
    if (file !== textFile) {
      textFile = file;
      maskedFile = await masker.maskInSlices(file);
      const read = left > 0 ? await readPadded(toTest.folder, file, toTest.signal) : undefined;
      text = read === tooLarge ? undefined : read;
      length = read === tooLarge ? tooLong : (text?.length ?? 0);
    }
    const name = oneLine(await masker.maskInSlices(shortened(one.name, maxMaskedLength)), maxNameLength);
    const told = roots.reduce((text, root) => text.replaceAll(`${root}/`, ""), withoutStack(one.message));
    const message = told === "" ? "" : oneLine(await masker.maskInSlices(told), maxMessageLength);
    const isPadded = length > maxTestLength;
    left -= isPadded ? 0 : length;
    const checks = isPadded
      ? unread
      : left <= 0
        ? { isUnread: true as const }
        : text !== undefined
          ? checksOf(text, one.name)
          : {};
    // Vitest and node:test tell of a file that could not be loaded by a test of its name.
    const isFile = one.outcome === "failed" && (one.name === one.file || one.name === file);
    const isNoTest = one.isNoTest === true || (isFile && !(runner === "node:test" && isOneTest(file, text)));
    const made = { isFlaky: false, ...one, file, name, message, ...checks };
    const kept = runner === "node:test" ? wholeFile(made, text) : made;
    if (kept === undefined) continue;
    const hides = isNoTest
      ? (one.hides ?? (await findHidden(place, { file, name: one.name }, runner, room)))
      : undefined;
    const hidden = { ...(isNoTest && { isNoTest }), ...(hides && { hides }) };
    cases.push({ ...kept, ...hidden, file: maskedFile });
  }
  return cases;
}

const tooLarge = Symbol("too large");

async function readPadded(
  folder: string,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined | typeof tooLarge> {
  try {
    return (await readProjectFile(folder, path, { maxBytes: maxPaddedBytes, signal })).toString("utf8");
  } catch (error) {
    if (!(error instanceof FileRefusal) || error.code === "stuck") throw error;
    return error.code === "too_large" ? tooLarge : undefined;
  }
}

/** What a runner says before it tells where: at most this much is read. */
export function withoutStack(message: string): string {
  return shortened(message, 8_000).split(/\n[ \t]{1,40}at /, 1)[0]!;
}

const endedEarly = "The file failed, or ended before its tests were over.";

/** The same, with what its program said: else something in it ends the process. */
export function withWhatEndedIt(one: TestCase, { line, isMarked }: Pick<Cause, "line" | "isMarked">): TestCase {
  if (one.message !== endedEarly) return one;
  return { ...one, message: isMarked ? `${endedEarly} ${line}` : `${endedEarly} Remove calls that end the process.` };
}

/** node:test reports a file that told of no test as a test of its name. That is none, unless the file checks something. */
function wholeFile(one: TestCase, text: string | undefined): TestCase | undefined {
  if (one.name !== one.file || one.outcome === "skipped") return one;
  if (one.outcome === "failed") return one.message === "test failed" ? { ...one, message: endedEarly } : one;
  if (text === undefined) return undefined;
  if (/\b(?:test|it|describe|suite)(?:\.\w+)?\s*\(/.test(text) && /node:test/.test(text)) {
    return { ...one, outcome: "failed", message: endedEarly };
  }
  return one.isIdle === false ? one : undefined;
}
