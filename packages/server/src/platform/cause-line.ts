import { oneLine } from "./one-line.ts";

/** What failed first, as programs mark it: `TypeError: …`, `Error [ERR_X]: …`, `error: …`, `panic: …`. */
const cause = /(?:^|[\s(])(?:\w*(?:Error|Exception)|error|fatal|panic)\b[^:]{0,60}:\s*\S/;

/** Not a cause: where it happened, and what Node says after it. */
const aside = /^\s*(?:at\s|Node\.js v|npm (?:error|ERR!))/;

/**
 * The line of a failed program's output that says why: the first that names an error, else the last. A stack, or what npm
 * says of itself, comes after it. Empty if there is no output.
 */
export function causeLine(output: string, maxLength: number): string {
  const lines = output.trim().split("\n");
  const [last = ""] = lines.slice(-1);
  const first = lines.find((line) => !aside.test(line) && cause.test(line.slice(0, 500)));
  const said = oneLine(first ?? last, maxLength);
  if (said === "") return "";
  return first === undefined || first === last ? `Last output: ${said}` : `It said: ${said}`;
}
