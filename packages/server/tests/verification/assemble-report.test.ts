import { expect, test } from "vitest";
import { assembleReport } from "../../src/verification/report/assemble-report.ts";

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
