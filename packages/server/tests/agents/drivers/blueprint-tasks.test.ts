import { planWork, resolveSpec, type SpecDocument } from "@slipway/spec";
import { expect, test } from "vitest";
import { buildTask } from "../../../src/agents/drivers/blueprint/blueprint-driver.ts";

test("a task that serves all lines of a document takes the same time for each, however many there are", () => {
  const [few, many] = [2_000, 16_000].map((count) => {
    const { document } = resolveSpec({
      ...{ spec_version: "1.0.0", id: "a", name: "A", description: "a", outcome_type: "api", stack: {} },
      acceptance: { tests: Array(count).fill({}) },
    } as unknown as SpecDocument);
    const task = planWork(document).tasks.find(({ serves }) => serves.length === count)!;
    const work = { document, task } as unknown as Parameters<typeof buildTask>[0];
    expect(buildTask(work).lines).toHaveLength(count);
    return Math.min(...[1, 2, 3].map(() => cpuOf(() => buildTask(work)))) / count;
  }) as [number, number];
  // Quadratic time would be eight times as much.
  expect(many).toBeLessThan(4 * Math.max(few, 0.005));
});

/** In milliseconds of a core: other programs on the machine do not count. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
