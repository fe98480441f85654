import type { ReportedCase } from "./read-junit.ts";

/** The tests of a report, of which another one tells that some failed before they passed. */
export function withRepeated(
  cases: readonly ReportedCase[],
  repeated: readonly ReportedCase[],
): readonly ReportedCase[] {
  const byName = Map.groupBy(repeated, ({ name }) => name);
  return cases.map((one) => {
    if (one.outcome !== "passed") return one;
    // One report may name the whole path, where the other begins at the project's folder.
    const before = byName.get(one.name)?.find(({ file }) => file === one.file || file.endsWith(`/${one.file}`));
    return before === undefined ? one : { ...one, isFlaky: true, message: before.message };
  });
}
