// @module-tag soak
import { mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { stuckFileCalls } from "../../../src/platform/project-files/index.ts";
import { diskCalls } from "../../../src/platform/sandbox/disk-room.ts";
import { DiskWatch } from "../../../src/platform/sandbox/disk-watch.ts";
import { DiskMeter } from "../../../src/platform/sandbox/folder-size.ts";
import { Sandbox } from "../../../src/platform/sandbox/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { hasStuckDisks, stuckDisk } from "../../support/files/stuck-disk.ts";
import { sandboxFor, ways } from "../../support/sandboxes.ts";
import { cannotFillDisk, mountOver, smallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";

const ample = 2 ** 40;

function meterOf(folder: string, openFiles: () => Promise<readonly string[]> = async () => []): DiskMeter {
  return new DiskMeter({ folders: [folder], shared: [], openFiles });
}

/** As runs are watched from their beginning on. */
async function watched(meter: DiskMeter, signal: AbortSignal, limit = ample) {
  const watch = new DiskWatch(meter, limit);
  await watch.begin(signal);
  return watch.waitUntilTooLarge(signal);
}

test.skipIf(!hasStuckDisks)("a disk that never answers holds up neither other files nor the end", async ({ skip }) => {
  const { folder, place } = sandboxFor("plain");
  const stuck = join(folder, "stuck");
  mkdirSync(stuck);
  const disk = await stuckDisk(stuck, "folder");
  skip(disk === undefined, "the machine does not let us mount anything");
  onTestFinished(async () => {
    await disk?.free();
    await until(() => stuckFileCalls() === 0);
  });
  const stop = new AbortController();
  // More than there are threads.
  const watches = Array.from({ length: 8 }, () => watched(meterOf(stuck), stop.signal, 1_000));
  await writeFile(join(place, "free"), "there is a thread for this");
  stop.abort();
  expect(await Promise.all(watches)).toEqual(Array(8).fill(undefined));
  expect(stuckFileCalls()).toBeLessThanOrEqual(1);
});

test.skipIf(cannotFillDisk)("a calm run that works is measured, though others free as much as it writes", async () => {
  const disk = smallDisk("64m");
  const folder = join(disk, "calm");
  mkdirSync(folder);
  writeFileSync(join(disk, "of-others"), Buffer.alloc(30 * 2 ** 20, 1));
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let [looks, polls, pollsBefore, cpuSeconds] = [0, 0, 0, 0];
  const openFiles = async () => {
    [looks, pollsBefore] = [looks + 1, polls];
    return [];
  };
  const poll = () => {
    polls += 1;
    return cpuSeconds;
  };
  const watch = new DiskWatch(meterOf(folder, openFiles), 10 * 2 ** 20);
  const over = new AbortController();
  onTestFinished(() => over.abort());
  await watch.begin(over.signal);
  const watching = watch.waitUntilTooLarge(over.signal, poll);
  // The second look comes after a second, the third after two; the fourth would come after four.
  for (const [last, waitMs] of [1_000, 2_000, 0].entries()) {
    await until(() => looks > last && polls > pollsBefore);
    vi.advanceTimersByTime(waitMs);
  }
  unlinkSync(join(disk, "of-others"));
  writeFileSync(join(folder, "data"), Buffer.alloc(20 * 2 ** 20, 1));
  cpuSeconds = 1;
  vi.advanceTimersByTime(3_000);
  expect(await watching).toMatchObject({ is: "disk", limit: 10 * 2 ** 20 });
});

test.skipIf(cannotFillDisk)(
  "who takes the last of a disk is ended, and a neighbour that writes a little is not",
  async () => {
    const disk = smallDisk("64m");
    const [large, small] = [join(disk, "large"), join(disk, "small")];
    await Promise.all([large, small].map((folder) => mkdir(folder)));
    const over = new AbortController();
    onTestFinished(() => over.abort());
    let looks = 0;
    const openFiles = async () => {
      looks += 1;
      return [];
    };
    const filling = watched(meterOf(large, openFiles), over.signal);
    const neighbour = watched(meterOf(small, openFiles), over.signal);
    await until(() => looks >= 2);
    // A sixteenth is left alone, a quarter of which is much.
    await writeFile(join(large, "data"), Buffer.alloc(63 * 2 ** 20, 1));
    await writeFile(join(small, "data"), Buffer.alloc(500_000, 1));
    expect(await filling).toEqual({ is: "full_disk", used: expect.toSatisfy((used: number) => used >= 63 * 2 ** 20) });
    const before = looks;
    await until(() => looks > before);
    over.abort();
    expect(await neighbour).toBeUndefined();
  },
);

test.skipIf(cannotFillDisk)(
  "who has taken the last of a disk before it is looked at is ended",
  { tags: "long" },
  async () => {
    const folder = smallDisk("64m");
    const { signal } = new AbortController();
    const watch = new DiskWatch(meterOf(folder), ample);
    await watch.begin(signal);
    await writeFile(join(folder, "data"), Buffer.alloc(63 * 2 ** 20, 1));
    expect(await watch.waitUntilTooLarge(signal)).toMatchObject({ is: "full_disk" });
  },
);

test.skipIf(cannotFillDisk)(
  "who takes the last files of a disk, and ends before it is looked at, is to blame",
  async () => {
    const disk = smallDisk("64m,nr_inodes=2000");
    const [quick, other] = [join(disk, "quick"), join(disk, "other")];
    await Promise.all([quick, other].map((folder) => mkdir(folder)));
    const { signal } = new AbortController();
    const watches = [quick, other].map((folder) => new DiskWatch(meterOf(folder), ample));
    for (const watch of watches) {
      await watch.begin(signal);
      expect(await watch.look(signal)).not.toHaveProperty("outcome");
    }
    // Its neighbour writes as many bytes as so many files count, in one file.
    await writeFile(join(other, "data"), Buffer.alloc(8 * 2 ** 20, 1));
    for (let number = 0; number < 1_950; number += 1) await writeFile(join(quick, String(number)), "");
    expect(await watches[0]!.look(signal)).toMatchObject({ outcome: { is: "full_disk" } });
    expect(await watches[1]!.look(signal)).not.toHaveProperty("outcome");
  },
);

test.skipIf(cannotFillDisk)(
  "a disk that answers late does not make what was taken fair",
  { tags: "long" },
  async () => {
    const folder = smallDisk("64m");
    const { signal } = new AbortController();
    let looks = 0;
    const openFiles = async () => {
      looks += 1;
      if (looks === 2) slow.resolve();
      return [];
    };
    const watch = new DiskWatch(meterOf(folder, openFiles), ample);
    await watch.begin(signal);
    await writeFile(join(folder, "data"), Buffer.alloc(63 * 2 ** 20, 1));
    const slow = Promise.withResolvers<void>();
    await expect(diskCalls.run(() => slow.promise, { path: folder, limitMs: 1 })).rejects.toThrow("does not answer");
    expect(await watch.waitUntilTooLarge(signal)).toMatchObject({ is: "full_disk" });
    expect(looks).toBeGreaterThanOrEqual(2);
  },
);

test.skipIf(cannotFillDisk)(
  "nobody is ended for what others took, or where nobody knows what there was",
  { tags: "long" },
  async () => {
    const disk = smallDisk("64m");
    const small = join(disk, "small");
    await mkdir(small);
    const over = new AbortController();
    let looks = 0;
    const openFiles = async () => {
      looks += 1;
      return [];
    };
    const [ofSmall, unbegun] = [small, disk].map((folder) => new DiskWatch(meterOf(folder, openFiles), ample));
    await ofSmall!.begin(over.signal);
    await writeFile(join(disk, "of-others"), Buffer.alloc(60 * 2 ** 20, 1));
    await writeFile(join(small, "data"), Buffer.alloc(500_000, 1));
    const watches = [ofSmall!, unbegun!].map((one) => one.waitUntilTooLarge(over.signal));
    // Each twice: the first look has an end.
    await until(() => looks >= 4);
    over.abort();
    expect(await Promise.all(watches)).toEqual([undefined, undefined]);
  },
);

test.skipIf(cannotFillDisk)("who takes the last files of a disk is ended as well", { tags: "long" }, async () => {
  const folder = smallDisk("64m,nr_inodes=2000");
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const looked = Promise.withResolvers<void>();
  const openFiles = async () => {
    looked.resolve();
    return [];
  };
  const filling = watched(meterOf(folder, openFiles), over.signal);
  await looked.promise;
  for (let number = 0; number < 1_950; number += 1) await writeFile(join(folder, String(number)), "");
  expect(await filling).toMatchObject({ is: "full_disk" });
});

test.skipIf(cannotFillDisk).for(soakCases(ways))(
  "a program that takes the last of the disk of $TMPDIR is ended: %s",
  async (way) => {
    const { sandbox, folder, dataFolder } = sandboxFor(way);
    // As where the system keeps temporary files in memory.
    const other = new Sandbox({ found: sandbox.found, dataFolder, temporaryFolder: smallDisk("64m") });
    const command = `head -c 100M /dev/zero > "$TMPDIR/all"; exit 0`;
    const child = await other.startProcess({ runId: "one", folder, command, limits: ampleLimits });
    onTestFinished(() => child.kill({ graceMs: 0 }));
    expect(await child.ended).toMatchObject({ is: "full_disk" });
  },
);

test.skipIf(cannotFillDisk)("who takes of one disk is not to blame for another", { tags: "long" }, async () => {
  const [full, folder] = [smallDisk("64m"), smallDisk("256m")];
  const mine = join(full, "mine");
  await mkdir(mine);
  const { signal } = new AbortController();
  const meter = new DiskMeter({ folders: [folder, mine], shared: [], openFiles: async () => [] });
  const watch = new DiskWatch(meter, ample);
  await watch.begin(signal);
  await writeFile(join(full, "of-others"), Buffer.alloc(62 * 2 ** 20, 1));
  await writeFile(join(folder, "data"), Buffer.alloc(100 * 2 ** 20, 1));
  expect(await watch.look(signal)).not.toHaveProperty("outcome");
  await writeFile(join(mine, "data"), Buffer.alloc(3 * 2 ** 19, 1));
  expect(await watch.look(signal)).toMatchObject({
    outcome: { is: "full_disk", used: expect.toSatisfy((used: number) => used < 2 ** 21) },
  });
});

test.skipIf(cannotFillDisk).for(soakCases(ways))(
  "a quick program that took the last files, and has ended, is told: %s",
  async (way) => {
    const { run, folder } = sandboxFor(way);
    mountOver(folder, "64m,nr_inodes=2000,mode=1777");
    const takesAll = "i=0; while : > f$i; do i=$((i+1)); done 2>/dev/null; exit 0";
    expect(await run({ command: ["sh", "-c", takesAll] })).toMatchObject({ end: { is: "full_disk" } });
  },
);
