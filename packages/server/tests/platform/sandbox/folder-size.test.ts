import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DiskMeter } from "../../../src/platform/sandbox/folder-size.ts";
import { withoutPipes } from "../../../src/platform/sandbox/look-at-paths.ts";
import { SharedSizes } from "../../../src/platform/sandbox/shared-sizes.ts";
import { smallFolderSizes } from "../../../src/platform/sandbox/small-folder-size.ts";
import { signal } from "../../support/database/run-starter.ts";
import { sandboxFor } from "../../support/sandboxes.ts";
import { cannotFillDisk, smallDisk } from "../../support/small-disk.ts";

test("a small folder is measured as du measures it, and one that is odd is left to du", async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-small-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "a", "b"), { recursive: true });
  await writeFile(join(folder, "a", "b", "c"), Buffer.alloc(70_000, 1));
  await symlink("/usr", join(folder, "link"));
  const [kilobytes] = execFileSync("du", ["-skx", folder], { encoding: "utf8" }).split("\t");
  expect(await smallFolderSizes([folder])).toEqual([{ bytes: Number(kilobytes) * 1024, files: 5 }]);
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

test("empty files count as much as the smallest ones, for a disk has room for so many files only", {
  tags: "long",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-empty-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (let number = 0; number < 2_000; number += 1) await writeFile(join(folder, String(number)), "");
  const meter = new DiskMeter({ folders: [folder], shared: [], openFiles: async () => [] });
  expect(await meter.measure(new AbortController().signal)).toBe(2_001 * 4096);
});

/** Ends so many programs that this process starts to look through a folder: as they end where its folders are moved. */
function endLooks(folder: string, count: number): void {
  const ended = new Set<string>();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const end = () => {
    const tasks = readdirSync("/proc/self/task");
    const children = tasks.flatMap((task) => readOrNothing(`/proc/self/task/${task}/children`).split(" "));
    for (const child of children) {
      if (child === "" || ended.has(child) || ended.size >= count) continue;
      if (!readOrNothing(`/proc/${child}/cmdline`).includes(folder)) continue;
      ended.add(child);
      signal(Number(child), "SIGKILL");
    }
    if (!over.signal.aborted) setImmediate(end);
  };
  end();
}

/** It may have ended since it was listed. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

describe.skipIf(!existsSync("/proc/self/task") || !existsSync(`/proc/self/task/${process.pid}/children`))(
  "a folder that du fails to look through",
  () => {
    async function folderOfMany(): Promise<DiskMeter> {
      const folder = await mkdtemp(join(tmpdir(), "slipway-moved-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      // So many that du is at work for longer than we take to start another one.
      for (let number = 0; number < 30_000; number += 1) writeFileSync(join(folder, String(number)), "");
      return new DiskMeter({ folders: [folder], shared: [], openFiles: async () => [] });
    }

    test("is looked through again", { tags: "long" }, async () => {
      const meter = await folderOfMany();
      endLooks(meter.disk, 1);
      expect(await meter.measure(new AbortController().signal)).toBe(30_001 * 4096);
    });

    test("each time cannot be measured, and is not taken for empty", { tags: "long" }, async () => {
      const meter = await folderOfMany();
      endLooks(meter.disk, 100);
      await expect(meter.measure(new AbortController().signal)).rejects.toThrow(/^Nobody can tell what .* takes up/);
    });
  },
);

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
    const kept = await withoutPipes([...held, "/proc/self/fd/ended"], signal);
    expect(kept.map(({ path }) => path)).toEqual([held[1], "/proc/self/fd/ended"]);
  },
);

test.skipIf(process.platform !== "linux")(
  "of many mapped files without a name, each counts",
  { tags: "long" },
  async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "file");
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT);
    onTestFinished(() => closeSync(fd));
    writeFileSync(fd, Buffer.alloc(1 << 20, 1));
    unlinkSync(path);
    // Longer together than a command line may be.
    const ended = Array.from(
      { length: 39_999 },
      (_, index) => `/proc/0/map_files/7f1200000000-${index + 0x7f1200000000}`,
    );
    const openFiles = async () => [...ended, `/proc/${process.pid}/fd/${fd}`];
    const meter = new DiskMeter({ folders: [folder], shared: [], openFiles });
    expect(await meter.measure(new AbortController().signal)).toBe((1 << 20) + 4096);
  },
);

test.skipIf(cannotFillDisk)("a folder that is gone hides no disk of the others", async () => {
  const [folder, other] = [await temporaryFolder(), smallDisk("1m")];
  const gone = join(folder, "gone");
  const meter = new DiskMeter({ folders: [folder, gone, other], shared: [], openFiles: async () => [] });
  await meter.begin(new AbortController().signal);
  expect(meter.disks).toEqual([folder, other]);
});

test("a run begins from what the last one left in a folder that they share, which is not measured again", async () => {
  const { begin, add } = await sharedFolder();
  const first = await begin();
  add(10);
  expect(await first.growth()).toBe(10);
  await first.end();
  // Nobody adds anything between two runs: it is how a test sees that the folder was not looked at.
  add(3);
  const second = await begin();
  add(10);
  expect(await second.growth()).toBe(13);
  await second.end();
});

test("a shared folder is measured again where others used it too, nobody saw the end, or another is in its place", async () => {
  const { begin, add, exchange } = await sharedFolder();
  const [one, two] = [await begin(), await begin()];
  await one.end();
  add(10);
  await two.end();
  add(10);
  const third = await begin();
  expect(await third.growth()).toBe(0);
  third.kill();
  add(10);
  const fourth = await begin();
  expect(await fourth.growth()).toBe(0);
  await fourth.end();
  await exchange();
  const fifth = await begin();
  add(10);
  expect(await fifth.growth()).toBe(10);
});

test("what was left is known of a thousand folders: those of reports are new each time", () => {
  const sizes = new SharedSizes();
  const use = (folder: number) => sizes.enter(`/${folder}`, "same");
  for (let folder = 0; folder <= 1_000; folder += 1) use(folder).leave({ bytes: 1, files: 1 });
  expect([use(0).known, use(1).known]).toEqual([undefined, { bytes: 1, files: 1 }]);
});

test("programs begin from what the last one left in a folder that they share", async () => {
  const { place, run } = sandboxFor("plain");
  const shared = join(place, "shared");
  await mkdir(shared);
  const asked = { command: "true", writable: [shared], limits: { diskBytes: 1 << 20 } };
  expect((await run(asked)).end).toMatchObject({ is: "exited", exitCode: 0 });
  await writeFile(join(shared, "added"), Buffer.alloc(2 << 20, 1));
  expect((await run(asked)).end).toMatchObject({ is: "disk" });
  expect((await run(asked)).end).toMatchObject({ is: "exited" });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-size-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Counts in files, beside the folder of the run. */
async function sharedFolder() {
  const folder = await temporaryFolder();
  const [own, shared] = [join(folder, "own"), join(folder, "shared")];
  await mkdir(own);
  await mkdir(shared);
  const sharedSizes = new SharedSizes();
  const { signal } = new AbortController();
  let files = 0;
  const add = (count: number) => {
    for (const end = files + count; files < end; files += 1) writeFileSync(join(shared, String(files)), "");
  };
  const begin = async () => {
    const meter = new DiskMeter({ folders: [own], shared: [shared], sharedSizes, openFiles: async () => [] });
    await meter.begin(signal);
    const growth = async () => (await meter.measure(signal))! / 4096 - 1;
    const end = async () => {
      await meter.measureUse(signal, { isOver: true });
      meter.leave();
    };
    return { growth, end, kill: () => meter.leave() };
  };
  const exchange = async () => {
    await rm(shared, { recursive: true });
    await mkdir(shared);
  };
  return { begin, add, exchange };
}
