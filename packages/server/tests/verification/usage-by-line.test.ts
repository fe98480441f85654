import { expect, test } from "vitest";
import { usageByLine } from "../../src/verification/report/usage-by-line.ts";

const used = (taskId: string, input_tokens: number | null, cost_usd: number | null = null) => ({
  ...{ taskId, agentId: "agent_1", input_tokens, output_tokens: null, cost_usd },
});

test("what a task used is shared evenly among its lines, whole tokens that add up, and lines of several tasks add up too", () => {
  const tasks = [
    { id: "a", serves: ["/x", "/y", "/z"] },
    { id: "b", serves: ["/z", "/z"] },
  ];
  const usageOf = usageByLine(tasks, [used("a", 100, 0.3), used("b", 7)]);
  const tokens = ["/x", "/y", "/z"].map((pointer) => usageOf(pointer)?.input_tokens);
  expect(tokens).toEqual([33, 33, 41]);
  expect(usageOf("/z")).toEqual({ input_tokens: 41, output_tokens: null, cost_usd: 0.3 / 3 });
});

test("what nobody told is unknown, and not nothing", () => {
  const usageOf = usageByLine([{ id: "a", serves: ["/x"] }], [used("a", null), used("plan", 5)]);
  expect(usageOf("/x")).toBeNull();
  expect(usageOf("/elsewhere")).toBeNull();
  expect(usageByLine([{ id: "a", serves: ["/x"] }], [used("a", 0)])("/x")).toMatchObject({ input_tokens: 0 });
});
