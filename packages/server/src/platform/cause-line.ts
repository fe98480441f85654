import { oneLine } from "./one-line.ts";

/** What failed first, as programs mark it: `TypeError: …`, `Error [ERR_X]: …`, `error: …`, `panic: …`. */
const cause = /(?:^|[\s(])(?:\w*(?:Error|Exception)|error|fatal|panic)\b[^:]{0,60}:\s*\S/;

/** Not a cause: where it happened, what Node says after it, and the end of an object. */
const aside = /^\s*(?:at\s|Node\.js v|npm (?:error|ERR!)|[{}\])]*\s*$)/;

/**
 * The line of a failed program's output that says why: the first that names an error, else the last that says anything.
 * A stack, or what npm says of itself, comes after it. Empty if there is no output.
 */
export function findCause(output: string, maxLength: number): { readonly line: string; readonly isLast: boolean } {
  const lines = output.trim().split("\n");
  const last = lines.findLast((line) => !aside.test(line)) ?? lines.at(-1) ?? "";
  const first = lines.find((line) => !aside.test(line) && cause.test(line.slice(0, 500)));
  const telling = first ?? last;
  return { line: oneLine(telling, maxLength), isLast: telling === lines.at(-1) };
}

/** The same, with whether it is what the program said last. */
export function causeLine(output: string, maxLength: number): string {
  const { line, isLast } = findCause(output, maxLength);
  if (line === "") return "";
  return isLast ? `Last output: ${line}` : `It said: ${line}`;
}

/** The first line that names a failed test, as test runners mark them; empty if there is none. */
export function testLine(output: string): string {
  const lines = output.trim().split("\n");
  const marked = /^\s*(✖|✗|×|not ok\b|FAIL(ED)?\b)\s*(?!failing tests:)\S/;
  const first = lines.find((line) => marked.test(line.slice(0, 500)));
  return first === undefined ? "" : `It said: ${oneLine(first, 500)}`;
}
