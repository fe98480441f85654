import { innerPath } from "./code-coverage/measure-coverage.ts";
import type { ReportedCase } from "./read-junit.ts";

/** The tests of a report, of which another one tells that some failed before they passed. */
export function withRepeated(
  cases: readonly ReportedCase[],
  repeated: readonly ReportedCase[],
  roots: readonly string[],
): readonly ReportedCase[] {
  // One report may name the whole path, where the other begins at the project's folder. Thousands may have one name.
  const placeOf = ({ file, name }: ReportedCase) => `${innerPath(file, roots)}\0${name}`;
  const byPlace = new Map(repeated.toReversed().map((one) => [placeOf(one), one]));
  return cases.map((one) => {
    const before = one.outcome === "passed" ? byPlace.get(placeOf(one)) : undefined;
    return before === undefined ? one : { ...one, isFlaky: true, message: before.message };
  });
}
