import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stuckFileCalls } from "../../../src/platform/project-files/index.ts";
import { DiskMeter, waitUntilTooLarge } from "../../../src/platform/sandbox/folder-size.ts";
import { hasStuckDisks, stuckDisk } from "../../support/files/stuck-disk.ts";
import { sandboxFor } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

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
    waitUntilTooLarge(new DiskMeter({ folders: [stuck], shared: [], openFiles: async () => [] }), 1_000, stop.signal),
  );
  await writeFile(join(place, "free"), "there is a thread for this");
  stop.abort();
  expect(await Promise.all(watches)).toEqual(Array(8).fill(undefined));
  expect(stuckFileCalls()).toBeLessThanOrEqual(1);
});
