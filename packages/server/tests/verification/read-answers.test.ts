import { describe, expect, test } from "vitest";
import { maxAnswersBytes, readAnswers } from "../../src/verification/index.ts";

const asked = new Set(["/acceptance/a", "/acceptance/b"]);
const read = (value: unknown) => readAnswers(typeof value === "string" ? value : JSON.stringify(value), asked);

describe("answers of an agent", () => {
  test("are taken for the lines that were asked about", () => {
    const evidence = ["a.js", { path: "b.js", quote: "x" }, { path: "c.js" }];
    expect(read([{ pointer: "/acceptance/a", verdict: "passed", reason: " It\n is. ", evidence, more: 1 }])).toEqual({
      answers: [
        {
          pointer: "/acceptance/a",
          verdict: "passed",
          reason: "It is.",
          evidence: [{ path: "a.js" }, { path: "b.js", quote: "x" }, { path: "c.js" }],
        },
      ],
      problems: [],
    });
  });

  test("that contradict each other are none", () => {
    const [one, other] = ["passed", "failed"].map((verdict) => ({ pointer: "/acceptance/a", verdict, reason: "r" }));
    expect(read([one, other, one]).answers).toEqual([
      { pointer: "/acceptance/a", verdict: "not_checked", reason: "It was answered more than once.", evidence: [] },
    ]);
  });

  test.for([
    ["{{{", "The answers are not valid JSON."],
    [{ answers: [] }, "The answers must be a JSON list."],
    [[null], "An answer must be an object."],
    [[{ verdict: "passed" }], "Nobody asked about a line without a pointer."],
    [
      [{ pointer: "/guardrails/security_scan\u001b[31m", verdict: "passed" }],
      "Nobody asked about '/guardrails/security_scan'.",
    ],
    [
      [{ pointer: "/acceptance/a", verdict: "waived" }],
      "The verdict on '/acceptance/a' must be passed, failed or not_checked.",
    ],
    [[{ pointer: "/acceptance/a", verdict: "failed", reason: 7 }], "needs a reason (text) and evidence (list)."],
    [
      [{ pointer: "/acceptance/a", verdict: "failed", evidence: [{ quote: "x" }] }],
      "must be at most 20 entries of {path, quote}.",
    ],
    [[{ pointer: "/acceptance/a", verdict: "failed", evidence: Array(21).fill("a") }], "must be at most 20 entries"],
    [
      [{ pointer: "/acceptance/a", verdict: "passed", evidence: [{ path: "a", quote: "x".repeat(2_001) }] }],
      "must be at most",
    ],
  ] as const)("are refused where they are not as told: %j", ([value, problem]) => {
    const { answers, problems } = read(value);
    expect(answers).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test("are bounded, however many there are", () => {
    const many = Array(9_000).fill({ pointer: "/x", verdict: "passed" });
    expect(JSON.stringify(many).length).toBeLessThan(maxAnswersBytes);
    expect(read(many)).toEqual({ answers: [], problems: Array(20).fill("Nobody asked about '/x'.") });
    const [long] = read([{ pointer: "/acceptance/b", verdict: "failed", reason: "x".repeat(1e5) }]).answers;
    expect(long?.reason.length).toBeLessThanOrEqual(900);
  });
});
