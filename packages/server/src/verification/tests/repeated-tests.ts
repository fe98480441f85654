import { basename } from "node:path/posix";
import { innerPath } from "./code-coverage/measure-coverage.ts";
import type { ReportedCase } from "./read-junit.ts";

/** Of tests with one name, in files of one name: thousands may be told of, and each compared with all others. */
const maxCompared = 100;

/** The tests of a report, of which another one tells that some failed before they passed. */
export function withRepeated(
  cases: readonly ReportedCase[],
  repeated: readonly ReportedCase[],
  roots: readonly string[],
): readonly ReportedCase[] {
  const placed = repeated.map((one) => ({ one, path: innerPath(one.file, roots) }));
  const byPlace = new Map(placed.toReversed().map(({ one, path }) => [`${path}\0${one.name}`, one]));
  const byName = Map.groupBy(placed, ({ one, path }) => `${basename(path)}\0${one.name}`);
  const find = ({ file, name }: ReportedCase) => {
    const path = innerPath(file, roots);
    const exact = byPlace.get(`${path}\0${name}`);
    if (exact !== undefined) return exact;
    // Vitest's JUnit begins at its own root, which may be a folder of the project.
    const sameNames = byName.get(`${basename(path)}\0${name}`)?.slice(0, maxCompared);
    return sameNames?.find((other) => other.path.endsWith(`/${path}`))?.one;
  };
  return cases.map((one) => {
    const before = one.outcome === "passed" ? find(one) : undefined;
    return before === undefined ? one : { ...one, isFlaky: true, message: before.message };
  });
}
