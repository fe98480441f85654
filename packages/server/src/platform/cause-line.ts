import { oneLine } from "./one-line.ts";

/** What failed first, as programs mark it: `TypeError: …`, `Error [ERR_X]: …`, `error: …`, `panic: …`. */
const marked = /(?:^|[\s(])(?:\w*(?:Error|Exception)|error|fatal|panic)\b[^:]{0,60}:\s*\S/;
/** As compilers tell of a line: `src/a.go:3:5: undefined: b`. */
const compiled = /^[^\s:]{1,300}\.\w{1,10}:\d{1,9}(?::\d{1,9})?: (?!\s*(?:warning|note|info)\b)\S/i;

/**
 * Not a cause: where it happened, what Node, Go and npm say around it, what npm runs, and the end of an object. For lines
 * without the blanks around them, which would take the square of their number.
 */
const aside =
  /^(?:at\s|Node\.js v|npm (?:error|ERR!|warn|WARN|notice)|\(node:\d+\) |\(Use `node |> |# [\w./-]{1,300}$|[{}\])]*$)/;
/** What only says that something before it failed, as tar, make, ninja, CMake and linkers do at the end. */
const summary =
  /^(?:[\w.+-]{1,60}(?:\[\d{1,9}\]| \(child\))?: (?:Error is not recoverable: |Child returned status \d|Exiting with failure status |\*\*\* \[.{1,400}\] Error \d{1,9}(?: \(ignored\))?$|\*\*\* Waiting for unfinished jobs|Target .{1,400} not remade |(?:Entering|Leaving) directory |build stopped: |error: (?:ld returned \d|linker command failed ))|-- Configuring incomplete, )/;
/** What npm says of itself, but for its codes, paths and log: the reason where nothing else ran. */
const npmReason = /^npm (?:error|ERR!)\s+(?!(?:code|errno|syscall|path|command|workspace|location|A complete log)\b)\S/;

export interface Cause {
  readonly line: string;
  /** It names an error, or what follows it is no part of the reason. */
  readonly isMarked: boolean;
  /** It is what the program said last. */
  readonly isLast: boolean;
}

/**
 * The line of a failed program's output that says why, with the place if there is one: the first that names an error, else the
 * last that says anything. A stack, or what npm says of itself, comes after it. Empty if there is no output. Paths are shown
 * from a folder on.
 */
export function findCause(output: string, maxLength: number, folder?: string): Cause {
  const text = output.trim();
  const lines = (folder === undefined ? text : text.replaceAll(`${folder}/`, "")).split("\n");
  const last = lines.findLast((line) => !isAside(line)) ?? lines.find((line) => npmReason.test(line)) ?? lines.at(-1);
  const first = lines.findIndex((line) => !isAside(line) && isCause(line.slice(0, 500)));
  const telling = first < 0 ? (last ?? "") : wholeOf(lines, first);
  const place = first < 0 ? undefined : placeOf(lines, first);
  const shown = place === undefined ? telling : `${telling.trimEnd()} (${place})`;
  const isMarked = first >= 0 || last !== lines.at(-1);
  return { line: oneLine(shown, maxLength), isMarked, isLast: telling === lines.at(-1) };
}

/** A line that ends with a colon says why in the next one, as CMake's do. */
function wholeOf(lines: readonly string[], at: number): string {
  const line = lines[at]!.trimEnd();
  if (!line.endsWith(":")) return lines[at]!;
  const next = lines.slice(at + 1, at + 1 + nearLines).find((one) => !isAside(one));
  return next === undefined ? line : `${line} ${next.trim()}`;
}

function isCause(line: string): boolean {
  return marked.test(line) || compiled.test(line);
}

function isAside(line: string): boolean {
  const text = line.trim();
  return aside.test(text) || summary.test(text);
}

/** So near to an error programs say where it is. */
const nearLines = 8;
/** Node before it, with a line of code between; Python before it; Rust and stacks after it. */
const placesBefore = [/^(?:file:\/\/)?([^\s:]{1,300}:\d{1,9})$/, /^File "([^"]{1,300})", line (\d{1,9})/];
const placesAfter = [
  /^--> (\S{1,300}:\d{1,9}:\d{1,9})$/,
  /^at (?:[^()]{1,200} \()?(?:file:\/\/)?([^\s():]{1,300}:\d{1,9}:\d{1,9})\)?$/,
];

function placeOf(lines: readonly string[], at: number): string | undefined {
  // Compilers have it in the same line.
  if (compiled.test(lines[at]!.slice(0, 500))) return undefined;
  const before = lines.slice(Math.max(0, at - nearLines), at).reverse();
  return placeIn(before, placesBefore) ?? placeIn(lines.slice(at + 1, at + 1 + nearLines), placesAfter);
}

function placeIn(lines: readonly string[], forms: readonly RegExp[]): string | undefined {
  for (const line of lines) {
    const text = line.slice(0, 500).trim();
    for (const form of forms) {
      const [, place, number] = form.exec(text) ?? [];
      if (place !== undefined) return number === undefined ? place : `${place}:${number}`;
    }
  }
  return undefined;
}

/** The same, with whether it is what the program said last. */
export function causeLine(output: string, maxLength: number, folder?: string): string {
  const { line, isLast } = findCause(output, maxLength, folder);
  if (line === "") return "";
  return isLast ? `Last output: ${line}` : `It said: ${line}`;
}

/** The first line that names a failed test, as test runners mark them; empty if there is none. */
function testLine(output: string): string {
  const lines = output.trim().split("\n");
  const marked = /^\s*(✖|✗|×|not ok\b|FAIL(ED)?\b)\s*(?!failing tests:)\S/;
  const first = lines.find((line) => marked.test(line.slice(0, 500)));
  return first === undefined ? "" : `It said: ${oneLine(first, 500)}`;
}

/** What a failed command said of the reason: which test failed, what names an error, else how standard error begins. */
export function causeOf(
  { output, stderr }: { readonly output: string; readonly stderr: string },
  maxLength: number,
  folder?: string,
): string {
  const cause = findCause(output, maxLength, folder);
  const errors = stderr.split("\n").filter((line) => !isAside(line));
  // Of a line of control characters nothing is left.
  const said = cause.isMarked || errors.length === 0 ? "" : oneLine(errors[0]!, maxLength);
  const isUnsaid = said !== "" && (said !== cause.line || errors.length > 1);
  return testLine(output) || (isUnsaid ? `It said: ${said}` : causeLine(output, maxLength, folder));
}
