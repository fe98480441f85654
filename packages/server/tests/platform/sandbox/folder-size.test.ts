import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, unlinkSync } from "node:fs";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stuckFileCalls } from "../../../src/platform/project-files/index.ts";
import { diskCalls, roomOn } from "../../../src/platform/sandbox/disk-room.ts";
import { DiskMeter, waitUntilTooLarge, withoutPipes } from "../../../src/platform/sandbox/folder-size.ts";
import { smallFolderSizes } from "../../../src/platform/sandbox/small-folder-size.ts";
import { hasStuckDisks, stuckDisk } from "../../support/files/stuck-disk.ts";
import { sandboxFor } from "../../support/sandboxes.ts";
import { cannotFillDisk, smallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";

/** As runs are watched from their beginning on. */
async function watch(meter: DiskMeter, signal: AbortSignal, limit = 2 ** 40) {
  return waitUntilTooLarge(meter, { limit, roomAtFirst: await roomOn(meter.disk, signal) }, signal);
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
  const watches = Array.from({ length: 8 }, () =>
    watch(new DiskMeter({ folders: [stuck], shared: [], openFiles: async () => [] }), stop.signal, 1_000),
  );
  await writeFile(join(place, "free"), "there is a thread for this");
  stop.abort();
  expect(await Promise.all(watches)).toEqual(Array(8).fill(undefined));
  expect(stuckFileCalls()).toBeLessThanOrEqual(1);
});

test("a small folder is measured as du measures it, and one that is odd is left to du", async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-small-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "a", "b"), { recursive: true });
  await writeFile(join(folder, "a", "b", "c"), Buffer.alloc(70_000, 1));
  await symlink("/usr", join(folder, "link"));
  const [kilobytes] = execFileSync("du", ["-skx", folder], { encoding: "utf8" }).split("\t");
  expect(await smallFolderSizes([folder])).toEqual([Number(kilobytes) * 1024]);
  await link(join(folder, "a", "b", "c"), join(folder, "again"));
  expect(await smallFolderSizes([folder])).toBeUndefined();
  const many = join(folder, "many");
  await mkdir(many);
  for (let number = 0; number < 101; number += 1) await writeFile(join(many, String(number)), "");
  expect(await smallFolderSizes([many])).toBeUndefined();
  expect(await smallFolderSizes([join(folder, "link")])).toBeUndefined();

  // A name that is not UTF-8 reads like the one of the empty file beside it.
  const odd = join(folder, "odd");
  await mkdir(odd);
  await writeFile(join(odd, "\ufffd"), "");
  await writeFile(Buffer.concat([Buffer.from(`${odd}/`), Buffer.from([0xff])]), Buffer.alloc(70_000, 1));
  expect(await smallFolderSizes([odd])).toBeUndefined();
});

test("empty files count as much as the smallest ones, for a disk has room for so many files only", async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-empty-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (let number = 0; number < 2_000; number += 1) await writeFile(join(folder, String(number)), "");
  const meter = new DiskMeter({ folders: [folder], shared: [], openFiles: async () => [] });
  expect(await meter.measure(new AbortController().signal)).toBe(2_001 * 4096);
});

test.skipIf(process.platform !== "linux")(
  "of files without a name, pipes take up nothing, and need no du",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "slipway-pipes-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [pipe, file] = [join(folder, "pipe"), join(folder, "file")];
    execFileSync("mkfifo", [pipe]);
    const held = [pipe, file].map((path) => {
      const fd = openSync(path, constants.O_RDWR | constants.O_CREAT);
      onTestFinished(() => closeSync(fd));
      unlinkSync(path);
      return `/proc/self/fd/${fd}`;
    });
    const { signal } = new AbortController();
    expect(await withoutPipes([...held, "/proc/self/fd/ended"], signal)).toEqual([held[1], "/proc/self/fd/ended"]);
  },
);

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
    const meterOf = (folder: string) => new DiskMeter({ folders: [folder], shared: [], openFiles });
    const filling = watch(meterOf(large), over.signal);
    const neighbour = watch(meterOf(small), over.signal);
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

test.skipIf(cannotFillDisk)("who has taken the last of a disk before it is looked at is ended", async () => {
  const folder = smallDisk("64m");
  const { signal } = new AbortController();
  const roomAtFirst = await roomOn(folder, signal);
  await writeFile(join(folder, "data"), Buffer.alloc(63 * 2 ** 20, 1));
  const meter = new DiskMeter({ folders: [folder], shared: [], openFiles: async () => [] });
  const outcome = await waitUntilTooLarge(meter, { limit: 2 ** 40, roomAtFirst }, signal);
  expect(outcome).toMatchObject({ is: "full_disk" });
});

test.skipIf(cannotFillDisk)("a disk that answers late does not make what was taken fair", async () => {
  const folder = smallDisk("64m");
  const { signal } = new AbortController();
  const roomAtFirst = await roomOn(folder, signal);
  await writeFile(join(folder, "data"), Buffer.alloc(63 * 2 ** 20, 1));
  const slow = Promise.withResolvers<void>();
  await expect(diskCalls.run(() => slow.promise, { path: folder, limitMs: 1 })).rejects.toThrow("does not answer");
  let looks = 0;
  const openFiles = async () => {
    looks += 1;
    if (looks === 2) slow.resolve();
    return [];
  };
  const meter = new DiskMeter({ folders: [folder], shared: [], openFiles });
  const outcome = await waitUntilTooLarge(meter, { limit: 2 ** 40, roomAtFirst }, signal);
  expect(outcome).toMatchObject({ is: "full_disk" });
  expect(looks).toBeGreaterThanOrEqual(2);
});

test.skipIf(cannotFillDisk)("nobody is ended for what others took, or where nobody knows what there was", async () => {
  const disk = smallDisk("64m");
  const small = join(disk, "small");
  await mkdir(small);
  const over = new AbortController();
  const roomBefore = await roomOn(disk, over.signal);
  const unknown = { ...roomBefore, bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY };
  await writeFile(join(disk, "of-others"), Buffer.alloc(60 * 2 ** 20, 1));
  await writeFile(join(small, "data"), Buffer.alloc(500_000, 1));
  let looks = 0;
  const openFiles = async () => {
    looks += 1;
    return [];
  };
  const watches = [
    { folder: small, roomAtFirst: roomBefore },
    { folder: disk, roomAtFirst: unknown },
  ].map(({ folder, roomAtFirst }) =>
    waitUntilTooLarge(
      new DiskMeter({ folders: [folder], shared: [], openFiles }),
      { limit: 2 ** 40, roomAtFirst },
      over.signal,
    ),
  );
  // Each twice: the first look has an end.
  await until(() => looks >= 4);
  over.abort();
  expect(await Promise.all(watches)).toEqual([undefined, undefined]);
});

test.skipIf(cannotFillDisk)("who takes the last files of a disk is ended as well", async () => {
  const folder = smallDisk("64m,nr_inodes=2000");
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const looked = Promise.withResolvers<void>();
  const openFiles = async () => {
    looked.resolve();
    return [];
  };
  const filling = watch(new DiskMeter({ folders: [folder], shared: [], openFiles }), over.signal);
  await looked.promise;
  for (let number = 0; number < 1_950; number += 1) await writeFile(join(folder, String(number)), "");
  expect(await filling).toMatchObject({ is: "full_disk" });
});
