import { expect, test } from "vitest";
import { stillShared } from "../../../src/platform/sandbox/shared-pages.ts";

const MB = 2 ** 20;
const some = { parent: 1, session: 1, isDead: false, thread: 7, threads: 1, isCopy: true, cpuTicks: 0 };
const copy = { ...some, pid: 7, startTicks: 5, faults: 1_000 };
const share = { process: copy, bytes: 50 * MB, anonymousBytes: 20 * MB };
const has = (resident: number, anonymous: number) =>
  `Name:\tx\nVmRSS:\t${resident * 1024} kB\nRssAnon:\t${anonymous * 1024} kB\n`;
/** What is still shared by a process that is like this now. */
const sharedBy = (process: Partial<typeof copy>, status: string) =>
  stillShared([share], [{ process: { ...copy, ...process }, status }]);

test("a process shares what it was found to share, as long as nothing happens", () => {
  expect(sharedBy({}, has(60, 20))).toEqual({ bytes: 50 * MB, surely: 50 * MB });
});

test("one that has ended shares nothing, nor does the next one with its number", () => {
  expect(stillShared([share], [])).toEqual({ bytes: 0, surely: 0 });
  expect(sharedBy({ startTicks: 6 }, has(60, 20))).toEqual({ bytes: 0, surely: 0 });
});

test("one shares no more than it has", () => {
  expect(sharedBy({}, has(30, 20))).toEqual({ bytes: 30 * MB, surely: 30 * MB });
});

test("what it has written to or taken since may be its own", () => {
  const { bytes, surely } = sharedBy({ faults: 1_001 }, has(60, 35));
  expect(bytes).toBe(50 * MB);
  expect(surely).toBeLessThan(35 * MB);
});
