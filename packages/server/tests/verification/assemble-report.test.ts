import { expect, test } from "vitest";
import { assembleReport } from "../../src/verification/report/assemble-report.ts";
import { compareMeasured } from "../../src/verification/report/compare-measured.ts";

test("what was foreseen to be missing is not, where its line was seen to hold", () => {
  const lines = ["/acceptance/commands/0", "/acceptance/commands/1"].map((pointer) => ({ pointer, title: pointer }));
  const unmet = [...lines.map(({ pointer }) => pointer), "/cli/plugins"].map((pointer) => ({ pointer, reason: "No." }));
  const report = assembleReport({
    ...{ projectId: "proj_1", commit: null, checkedAt: null, lines, unmet, uncheckedReason: () => "Nobody looked." },
    ...{ written: new Map(), tasks: [], used: [], previous: undefined },
    verdicts: [{ pointer: "/acceptance/commands/0", verdict: "passed", reason: "It did." }],
  });
  expect(report.unmet.map(({ pointer }) => pointer)).toEqual(["/acceptance/commands/1", "/cli/plugins"]);
});

test.each([1e305, -1e305, 1e15, 0.123456, Number.POSITIVE_INFINITY])("a number such as %d stands in JSON", (value) => {
  const [measured] = compareMeasured([{ name: "f1", value, unit: "count" }]);
  const read = JSON.parse(JSON.stringify(measured)) as typeof measured;
  expect(read).toEqual(measured);
  expect(read?.value).toBeCloseTo(Number.isFinite(value) ? value : 0, 4);
});
