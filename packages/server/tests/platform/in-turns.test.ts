import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { answers, inTurns, takeTurns } from "../../src/platform/in-turns.ts";

test("however many work at the same time, they hold up a loop no longer than one would", async () => {
  const { piece, longestLoop } = await clock();
  const all = Array.from({ length: 40 }, async () => {
    await nextLoop();
    for await (const _ of inTurns(Array.from({ length: 25 }))) piece();
  });
  expect(await longestLoop(Promise.all(all))).toBeLessThanOrEqual(10);
});

test("a crowd of readers keeps no project waiting", async () => {
  const { piece, longestLoop } = await clock();
  let isOver = false;
  const readers = Array.from({ length: 100 }, async () => {
    await nextLoop();
    for await (const _ of inTurns(Array.from({ length: 100 }), answers)) if (!isOver) piece();
  });
  let loops = 0;
  const counting = (async () => {
    for (; !isOver; loops += 1) await nextLoop();
  })();
  const project = async () => {
    for await (const _ of inTurns(Array.from({ length: 100 }))) piece();
    isOver = true;
  };
  expect(await longestLoop(project())).toBeLessThanOrEqual(20);
  expect(loops).toBeLessThan(200);
  await Promise.all([counting, ...readers]);
});

test("what is cancelled while it waits for its turn goes no further", async () => {
  const { piece } = await clock();
  const cancel = new AbortController();
  const turn = takeTurns(cancel.signal);
  expect(turn()).toBeUndefined();
  for (let count = 0; count < 10; count += 1) piece();
  const waiting = turn();
  cancel.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
});

/** A clock on which a piece of work takes a millisecond, and nothing else any time. */
async function clock() {
  // What began by the real clock is over.
  await nextLoop();
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return {
    piece: () => void vi.advanceTimersByTime(1),
    /** The milliseconds of the longest loop of the event loop while something goes on. */
    longestLoop: async (work: Promise<unknown>) => {
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      let longest = 0;
      for (let from = performance.now(); !isOver; from = performance.now()) {
        await nextLoop();
        longest = Math.max(longest, performance.now() - from);
      }
      await over;
      return longest;
    },
  };
}
