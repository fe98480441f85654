import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { memoryLimitMessage } from "../../../src/platform/sandbox/index.ts";
import { findUidRange } from "../../../src/platform/sandbox/own-uid.ts";
import { markerIn, readStat, signalProcess } from "../../../src/platform/sandbox/process-table.ts";
import { breach, firstObservation, nextCheckMs, observe } from "../../../src/platform/sandbox/watch-limits.ts";

const GB = 2 ** 30;

test.for([
  [Math.floor(2.1 * GB), 2 * GB, "2.1GB", "2GB"],
  [2 * GB + 1, 2 * GB, "2.1GB", "2GB"],
  [2.5 * GB, 1.5 * GB, "2.5GB", "1.5GB"],
  [260 * 2 ** 20 + 1, 256 * 2 ** 20, "261MB", "256MB"],
  [Math.floor(1.2 * GB), 0.5 * GB, "1.2GB", "512MB"],
] as const)("%d bytes of %d are reported as %s of %s", ([usedBytes, limitBytes, used, limit]) => {
  expect(memoryLimitMessage({ usedBytes, limitBytes })).toBe(
    `Process killed due to memory limit exceeded. Agent used ${used}, limit was ${limit}`,
  );
});

describe("the watch", () => {
  const limits = { memoryBytes: 1_000, processes: 100, idleMs: 10_000 };
  const seen = (atMs: number, memoryBytes: number, cpuSeconds = 0, costMs = 0) => ({
    ...{ atMs, outputAtMs: 0 },
    use: { memoryBytes, cpuSeconds, processes: 1, costMs },
  });
  const start = firstObservation(0);

  test("checks four times a second, sooner where a limit would be reached before", () => {
    const calm = observe(start, seen(250, 10), limits);
    expect(nextCheckMs(calm, observe(calm, seen(500, 10), limits), limits)).toBe(250);
    expect(nextCheckMs(calm, observe(calm, seen(500, 510), limits), limits)).toBe(122.5);
    expect(nextCheckMs(calm, observe(calm, seen(500, 990), limits), limits)).toBe(25);
    // On the same beat for all runs.
    expect(nextCheckMs(calm, observe(calm, seen(560, 10), limits), limits)).toBe(190);
  });

  test("spends at most a tenth of its time on exact measurements", () => {
    expect(nextCheckMs(start, observe(start, seen(250, 990, 0, 12), limits), limits)).toBe(120);
  });

  test("counts CPU time as activity, but not the little that waiting takes", () => {
    const busy = observe(start, seen(9_000, 10, 1), limits);
    expect(breach(observe(busy, seen(18_000, 10, 1.1), limits), limits)).toBeUndefined();
    const waiting = observe(start, seen(9_000, 10, 0.05), limits);
    expect(breach(observe(waiting, seen(10_001, 10, 0.06), limits), limits)).toEqual({ is: "stalled" });
  });
});

test("a signal never goes to another process with the same id", async () => {
  const child = spawn("sleep", ["1000"]);
  const { startTicks } = readStat(child.pid!)!;
  signalProcess({ pid: child.pid!, startTicks: startTicks - 1 }, "SIGKILL");
  expect(child.exitCode).toBeNull();
  expect(readStat(child.pid!)?.isDead).toBe(false);
  const ended = new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)));
  signalProcess({ pid: child.pid!, startTicks }, "SIGTERM");
  expect(await ended).toBe("SIGTERM");
});

test("a marker is found only where it is the name of a variable", () => {
  expect(markerIn("SLIPWAY_RUN=a\0B=c\0", "SLIPWAY_RUN")).toBe("a");
  expect(markerIn("B=c\0SLIPWAY_RUN=a", "SLIPWAY_RUN")).toBe("a");
  expect(markerIn("MY_SLIPWAY_RUN=a\0B=SLIPWAY_RUN=b\0", "SLIPWAY_RUN")).toBeUndefined();
  expect(markerIn("", "SLIPWAY_RUN")).toBeUndefined();
});

test("uids are unassigned ones, in containers too, and never those of root or the database", () => {
  expect(findUidRange("         0          0 4294967295\n")?.first).toBe(1_900_000_000);
  const inContainer = findUidRange("0 100000 65536\n")!;
  expect(inContainer.first).toBeGreaterThan(60_000);
  expect(inContainer.first + inContainer.count).toBeLessThan(65_534);
  expect(findUidRange("0 1000 1\n")).toBeUndefined();
});
