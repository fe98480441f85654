import { expect, test } from "vitest";
import { judgeAnswers } from "../../src/verification/judgement/judge-answers.ts";
import { countTurns } from "../support/count-turns.ts";

const by = { by: "agent", id: "agent_1", name: "Judge", kind: "command" } as const;

// By includes, each of these quotes takes seconds.
test("quotes that are almost there everywhere hold nobody up", async () => {
  const quote = `ab${"a".repeat(1_998)}`;
  const text = "a".repeat(1024 * 1024);
  const answers = Array.from({ length: 250 }, (_, at) => ({
    ...{ pointer: `/acceptance/line_${at}`, verdict: "passed" as const, reason: "It is there." },
    evidence: [{ path: "a.txt", quote }],
  }));
  const turns = countTurns();
  const verdicts = await judgeAnswers(answers, async () => text, by, []);
  expect(turns()).toBeGreaterThan(10);
  expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(["not_checked"]));
});
