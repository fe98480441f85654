import { expect, test } from "vitest";
import { forkDepths } from "../../../src/platform/sandbox/fork-depths.ts";

const some = { session: 1, isDead: false, threads: 1, faults: 0, cpuTicks: 0, startTicks: 0 };
const process = (pid: number, parent: number, isCopy: boolean) => ({
  ...some,
  pid,
  parent,
  isCopy,
  thread: pid + 1_000,
});

test("a copy of a copy has its memory from two, and one that executed a program from none", () => {
  const all = [process(14, 13, true), process(11, 10, false), process(13, 12, true), process(12, 11, false)];
  const later = [process(15, 14, true), process(16, 15, false), process(17, 99, true)];
  expect([...forkDepths([...all, ...later]).values()]).toEqual([2, 0, 1, 0, 3, 0, 0]);
});

test("processes that seem to be parents of each other are none's copies for ever", () => {
  expect(forkDepths([process(5, 7, true), process(7, 5, true)]).size).toBe(2);
});
