import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { coresForRuns, coresOf } from "../../../src/platform/sandbox/cores.ts";
import { type DiskRoom, unknownRoom } from "../../../src/platform/sandbox/disk-room.ts";
import { limitMessage } from "../../../src/platform/sandbox/index.ts";
import { memoryGroupIn } from "../../../src/platform/sandbox/memory-group.ts";
import { findUidRange } from "../../../src/platform/sandbox/own-uid.ts";
import { residentIn } from "../../../src/platform/sandbox/process-memory.ts";
import { readStat, signalProcess } from "../../../src/platform/sandbox/process-stat.ts";
import { markerIn, ProcessTable } from "../../../src/platform/sandbox/process-table.ts";
import { systemCallFilter } from "../../../src/platform/sandbox/system-call-filter.ts";
import { growthUntil, mayBeTooLarge, noGrowth } from "../../../src/platform/sandbox/unseen-growth.ts";
import { breach, firstObservation, nextCheckMs, noUse, observe } from "../../../src/platform/sandbox/watch-limits.ts";
import { ampleLimits } from "../../support/ample-limits.ts";

const GB = 2 ** 30;

test.for([
  [Math.floor(2.1 * GB), 2 * GB, "2.1GB", "2GB"],
  [2 * GB + 1, 2 * GB, "2.1GB", "2GB"],
  [2.5 * GB, 1.5 * GB, "2.5GB", "1.5GB"],
  [260 * 2 ** 20 + 1, 256 * 2 ** 20, "261MB", "256MB"],
  [Math.floor(1.2 * GB), 0.5 * GB, "1.2GB", "512MB"],
] as const)("%d bytes of %d are reported as %s of %s", ([usedBytes, limitBytes, used, limit]) => {
  expect(limitMessage("Agent", { is: "memory", usedBytes, limitBytes })).toBe(
    `Process killed due to memory limit exceeded. Agent used ${used}, limit was ${limit}. Raise resources.memory_gb, or let it use less.`,
  );
});

test("every limit that a run can break is named, with what it used and a remedy", () => {
  const messages = [
    limitMessage("It", { is: "memory", usedBytes: 3 * GB, limitBytes: 2 * GB }, { memorySetting: undefined }),
    limitMessage("It", { is: "processes", used: 605, limit: 512 }),
    limitMessage("It", { is: "crowd", used: 2_048 }),
    limitMessage("It", { is: "disk", used: 4 * GB + 1, limit: 4 * GB }),
    limitMessage("It", { is: "output", used: 70_000, limit: 65_536 }),
    limitMessage("It", { is: "hidden", used: 2 }),
    limitMessage("It", { is: "exited", exitCode: 1, signal: null }),
  ];
  expect(messages).toEqual([
    "Process killed due to memory limit exceeded. It used 3GB, limit was 2GB. Let it use less.",
    "Process killed due to process limit exceeded. It started 605 processes, limit was 512. Start fewer at a time; 16 threads count as one.",
    "Process killed because the machine has few processes left. It had 2048 processes and threads, more than are left for all others. Start fewer at a time.",
    "Process killed due to disk limit exceeded. It took 4.1GB of disk, limit was 4GB. Write less, or remove what is no longer needed.",
    "Process killed due to output limit exceeded. It printed more than 64KB. Print less.",
    "Process killed because its limits could not be watched. It hid what 2 of its processes had open, which could not be counted. Start no program whose file it may not read, and let the first thread of each end last.",
    undefined,
  ]);
});

test("what a program has sent to swap is its memory, too", () => {
  const status =
    "Name:\tpython3\nVmRSS:\t    1388 kB\nRssAnon:\t     300 kB\nVmPTE:\t    1644 kB\nVmSwap:\t  819200 kB\n";
  expect(residentIn(status)).toBe((1_388 + 1_644 + 819_200) * 1024);
});

test("huge pages are memory of a program, though the kernel does not call them resident", () => {
  const status = "Name:\tpython3\nVmRSS:\t    8192 kB\nVmPTE:\t      64 kB\nHugetlbPages:\t  122880 kB\n";
  expect(residentIn(status)).toBe((8_192 + 64 + 122_880) * 1024);
});

test("the table of its open files is memory of a program, be there few of them at the end of it", () => {
  const status = "Name:\tpython3\nFDSize:\t1048576\nVmRSS:\t    8192 kB\nVmPTE:\t      64 kB\n";
  expect(residentIn(status)).toBe((8_192 + 64 + 8_192) * 1024);
});

test.for([
  ["12:cpu,cpuacct:/a\n4:memory:/b/c\n0::/d\n", "/sys/fs/cgroup/memory/b/c/memory.oom_control"],
  ["4:hugetlb,memory:/b:c\n", "/sys/fs/cgroup/memory/b:c/memory.oom_control"],
  ["0::/user.slice/d\n", "/sys/fs/cgroup/user.slice/d/memory.events"],
  ["1:name=memory:/b\n0::/d\n", "/sys/fs/cgroup/d/memory.events"],
  // That of the whole machine has no limit.
  ["4:memory:/\n", undefined],
  ["", undefined],
] as const)("%j tells of the memory of a control group in %s", ([groups, path]) => {
  expect(memoryGroupIn(groups)?.killsPath).toBe(path);
});

describe("growth that nobody has measured", () => {
  const free = (bytes: number): readonly DiskRoom[] => [
    { ...unknownRoom, ...{ bytes, files: 1_000_000, isKnown: true } },
  ];
  const look = { left: GB, tookMs: 10, agoMs: 100 };

  test("is told by what is taken of the disk, whatever others free meanwhile", () => {
    const start = noGrowth(free(10 * GB), 0);
    const taken = growthUntil(start, free(9.4 * GB), 0);
    expect(mayBeTooLarge(taken, look)).toBe(false);
    const freed = growthUntil(taken, free(13 * GB), 0);
    expect(mayBeTooLarge(freed, look)).toBe(false);
    expect(mayBeTooLarge(growthUntil(freed, free(12.5 * GB), 0), look)).toBe(true);
  });

  test("is told by what the run has worked, where others free as much as it writes", () => {
    const start = noGrowth(free(10 * GB), 5);
    const worked = growthUntil(start, free(10 * GB), 6);
    // It is measured every three seconds for that, or for a twentieth of the time.
    expect(mayBeTooLarge(worked, look)).toBe(false);
    expect(mayBeTooLarge(worked, { ...look, agoMs: 3_000 })).toBe(true);
    expect(mayBeTooLarge(worked, { ...look, agoMs: 3_000, tookMs: 200 })).toBe(false);
    // So little writes no gigabyte, and what others of its limits have used says nothing.
    expect(mayBeTooLarge(growthUntil(start, free(10 * GB), 5.1), { ...look, agoMs: 29_000 })).toBe(false);
    const othersEnded = growthUntil(start, free(10 * GB), 1);
    expect(mayBeTooLarge(growthUntil(othersEnded, free(10 * GB), 1.5), { ...look, agoMs: 3_000 })).toBe(true);
  });

  test("is not excluded while a disk does not answer, and later it is measured", () => {
    const start = noGrowth(free(10 * GB), 0);
    const silent = growthUntil(start, [unknownRoom], 0);
    expect(mayBeTooLarge(silent, look)).toBe(false);
    expect(mayBeTooLarge(growthUntil(silent, free(8 * GB), 0), look)).toBe(true);
    expect(mayBeTooLarge(growthUntil(noGrowth([unknownRoom], 0), free(8 * GB), 0), look)).toBe(true);
  });
});

describe("the watch", () => {
  const limits = { ...ampleLimits, memoryBytes: 1_000, processes: 100, idleMs: 10_000 };
  const seen = (atMs: number, memoryBytes: number, cpuSeconds = 0, costMs = 0) => ({
    ...{ atMs, outputAtMs: 0 },
    use: { ...noUse, memoryBytes, cpuSeconds, costMs },
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

  test("expects processes to multiply, as they do in a fork bomb", () => {
    const many = { ...limits, processes: 512 };
    const use = { ...noUse, memoryBytes: 10, processes: 8 };
    // Three doublings in 48 ms; six more reach the limit in 96 ms.
    expect(nextCheckMs(start, observe(start, { atMs: 48, outputAtMs: 0, use }, many), many)).toBeCloseTo(48);
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

  test("ends who has more processes and threads than are left for all others, but nobody who has few", () => {
    const whenLeft = (crowd: number, left: number) =>
      breach({ ...start, use: { ...noUse, crowd } }, limits, () => left);
    expect(whenLeft(2_000, 2_000)).toBeUndefined();
    expect(whenLeft(2_000, 1_999)).toEqual({ is: "crowd", used: 2_000 });
    expect(whenLeft(256, 0)).toBeUndefined();
  });

  test("takes one run at a time for the crowd: that with the most, and of several the last", () => {
    const table = new ProcessTable();
    const note = (runs: Record<string, number>) =>
      Object.entries(runs).filter(([runId, tasks]) => table.noteTasks(runId, tasks));
    note({ first: 1, second: 1, third: 1 });
    expect(note({ first: 300, second: 300, third: 20 })).toEqual([
      ["first", 300],
      ["second", 300],
    ]);
    expect(note({ first: 300, second: 300, third: 20 })).toEqual([["second", 300]]);
    table.forget("second");
    expect(note({ first: 300, third: 20 })).toEqual([["first", 300]]);
  });
});

test("one core of four or more stays the service's own", () => {
  expect(coresForRuns(coresOf("Name:\tnode\nCpus_allowed_list:\t0-2,8\n"))).toEqual([1, 2, 8]);
  expect(coresForRuns(coresOf("Cpus_allowed_list:\t0-2\n"))).toEqual([0, 1, 2]);
  expect(coresForRuns(coresOf("Cpus_allowed_list:\t5\n"))).toEqual([5]);
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

describe.for([
  [
    "x64",
    0xc000003e,
    { read: 0, clone: 56, socket: 41, ioctl: 16, personality: 135, unshare: 272, mount: 165, bpf: 321, mmap: 9 },
  ],
  [
    "arm64",
    0xc00000b7,
    { read: 63, clone: 220, socket: 198, ioctl: 29, personality: 92, unshare: 97, mount: 40, bpf: 280, mmap: 222 },
  ],
] as const)("the filter of system calls for %s", ([architecture, audit, calls]) => {
  const filter = systemCallFilter(architecture)!;
  const judge = (call: number, first = 0, second = 0, on: number = audit, fourth = 0) => {
    const data = Buffer.alloc(64);
    data.writeUInt32LE(call, 0);
    data.writeUInt32LE(on, 4);
    data.writeUInt32LE(first, 16);
    data.writeUInt32LE(second, 24);
    data.writeUInt32LE(fourth, 40);
    return runFilter(filter, data);
  };
  const [allowed, notPermitted, noSuchCall, noSuchFamily] = [0x7fff0000, 0x50001, 0x50026, 0x50061];

  test("refuses what makes namespaces and mounts or reaches into the kernel", () => {
    for (const call of [calls.unshare, calls.mount, calls.bpf]) expect(judge(call)).toBe(notPermitted);
    for (const flag of [0x10000000, 0x20000, 0x40000000, 0x20000000])
      expect(judge(calls.clone, flag | 17)).toBe(notPermitted);
    expect(judge(435)).toBe(noSuchCall);
    expect(judge(calls.personality, 0x40000)).toBe(notPermitted);
    expect(judge(calls.ioctl, 0, 0x5412)).toBe(notPermitted);
    expect(judge(calls.socket, 40)).toBe(noSuchFamily);
  });

  test("refuses memory in huge pages as a machine that has none", () => {
    const [noMemory, anonymous, huge] = [0x5000c, 0x22, 0x40000];
    expect(judge(calls.mmap, 0, 4096, audit, anonymous)).toBe(allowed);
    expect(judge(calls.mmap, 0, 4096, audit, anonymous | huge)).toBe(noMemory);
  });

  test("allows what programs do", () => {
    for (const call of [calls.read, calls.clone, calls.socket, calls.ioctl, calls.personality])
      expect(judge(call)).toBe(allowed);
    // A thread.
    expect(judge(calls.clone, 0x3d0f00)).toBe(allowed);
    expect(judge(calls.socket, 2)).toBe(allowed);
    expect(judge(calls.personality, 0xffffffff)).toBe(allowed);
  });

  test("refuses calls of another architecture, and those that it does not know", () => {
    expect(judge(calls.read, 0, 0, 0x40000003)).toBe(notPermitted);
    expect(judge(0x40000000 + calls.unshare)).toBe(noSuchCall);
    expect(judge(2_000)).toBe(noSuchCall);
  });
});

test("there is no filter for an architecture without a table", () => {
  expect(systemCallFilter("riscv64")).toBeUndefined();
});

/** What the kernel does with a filter, as far as ours go. */
function runFilter(filter: Buffer, data: Buffer): number {
  let accumulator = 0;
  for (let at = 0; ; at += 1) {
    const operand = filter.readUInt32LE(8 * at + 4);
    const jump = (isTrue: boolean) => filter.readUInt8(8 * at + (isTrue ? 2 : 3));
    const code = filter.readUInt16LE(8 * at);
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else if (code === 0x15) at += jump(accumulator === operand);
    else if (code === 0x25) at += jump(accumulator > operand);
    else if (code === 0x45) at += jump((accumulator & operand) !== 0);
    else if (code === 0x06) return operand;
    else throw new Error(`The instruction ${code} is not known.`);
  }
}
