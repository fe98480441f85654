import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PollLoop } from "../../../src/platform/wake-up/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a step that has more to do is repeated at once", async () => {
  const { steps, loop } = start([0, 0, 1_000]);
  await vi.advanceTimersByTimeAsync(0);
  expect(steps()).toBe(3);
  await loop.stop();
});

test("without a wake-up, the loop polls when the step asked for it", async () => {
  const { steps, loop } = start([1_000]);
  await vi.advanceTimersByTimeAsync(999);
  expect(steps()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(steps()).toBe(2);
  await loop.stop();
});

test("a wake-up during a step is not lost", async () => {
  const { steps, loop } = start([1_000], () => loop.wake());
  await vi.advanceTimersByTimeAsync(0);
  expect(steps()).toBe(2);
  await loop.stop();
});

test("a step that keeps failing is repeated ever more rarely, however often the loop is woken", async () => {
  const failing = new Error("no");
  const { steps, loop, logged } = start([failing, failing, failing, failing, failing, failing, failing]);
  for (let second = 0; second < 10; second += 1) {
    loop.wake();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  // At once, after 100, 200, 400, 800 and 1,600 ms, and then every 2,000.
  expect(steps()).toBe(9);
  expect(logged[0]).toBe("The loop failed and tries again.");
  await loop.stop();
});

test("a loop that backs off stops at once", async () => {
  const { steps, loop } = start([new Error("no")]);
  await vi.advanceTimersByTimeAsync(0);
  await loop.stop();
  expect(steps()).toBe(1);
});

/** Each step answers the next of these, and from then on the last. */
function start(answers: readonly (number | Error)[], onFirst?: () => void) {
  let count = 0;
  const logged: string[] = [];
  const loop = new PollLoop({
    name: "The loop",
    log: { debug: () => undefined, error: (_details: unknown, message?: string) => void logged.push(message ?? "") },
    step: async () => {
      const answer = answers[Math.min(count, answers.length - 1)]!;
      count += 1;
      await Promise.resolve();
      if (count === 1) onFirst?.();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  loop.start();
  return { steps: () => count, loop, logged };
}
