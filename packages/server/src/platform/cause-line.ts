import { oneLine } from "./one-line.ts";

/** What failed first, as programs mark it: `TypeError: …`, `Error [ERR_X]: …`, `error: …`, `panic: …`. */
const cause = /(?:^|[\s(])(?:\w*(?:Error|Exception)|error|fatal|panic)\b[^:]{0,60}:\s*\S/;

/**
 * Not a cause: where it happened, what Node and npm say around it, and the end of an object. For lines without the blanks
 * around them, which would take the square of their number.
 */
const aside = /^(?:at\s|Node\.js v|npm (?:error|ERR!|warn|WARN|notice)|\(node:\d+\) |\(Use `node |[{}\])]*$)/;

interface Cause {
  readonly line: string;
  /** It names an error, or what follows it is no part of the reason. */
  readonly isMarked: boolean;
  /** It is what the program said last. */
  readonly isLast: boolean;
}

/**
 * The line of a failed program's output that says why: the first that names an error, else the last that says anything.
 * A stack, or what npm says of itself, comes after it. Empty if there is no output.
 */
export function findCause(output: string, maxLength: number): Cause {
  const lines = output.trim().split("\n");
  const last = lines.findLast((line) => !isAside(line)) ?? lines.at(-1) ?? "";
  const first = lines.find((line) => !isAside(line) && cause.test(line.slice(0, 500)));
  const telling = first ?? last;
  const isMarked = first !== undefined || last !== lines.at(-1);
  return { line: oneLine(telling, maxLength), isMarked, isLast: telling === lines.at(-1) };
}

function isAside(line: string): boolean {
  return aside.test(line.trim());
}

/** The same, with whether it is what the program said last. */
export function causeLine(output: string, maxLength: number): string {
  const { line, isLast } = findCause(output, maxLength);
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
export function causeOf({ output, stderr }: { readonly output: string; readonly stderr: string }, maxLength: number) {
  const cause = findCause(output, maxLength);
  const errors = stderr.split("\n").filter((line) => !isAside(line));
  const isUnsaid = !cause.isMarked && errors.length > 1;
  // Of a line of control characters nothing is left.
  const said = isUnsaid ? oneLine(errors[0]!, maxLength) : "";
  return testLine(output) || (said === "" ? causeLine(output, maxLength) : `It said: ${said}`);
}
