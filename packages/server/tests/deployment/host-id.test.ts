import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readHostId } from "../../src/deployment/index.ts";
import { cannotFillDisk, fillDisk, smallDisk } from "../support/small-disk.ts";

describe("the name of a data folder", () => {
  test("is the same for all nodes that start on it at once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "slipway-host-id-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const ids = await Promise.all(Array.from({ length: 50 }, (_, at) => readHostId(folder, 1_000 + at)));
    expect(new Set(ids)).toEqual(new Set([expect.stringMatching(/^host_\w+$/)]));
    expect(await readdir(folder)).toEqual(["host-id"]);
  });

  test.skipIf(cannotFillDisk)("is not half of one after a start on a full disk", async () => {
    const disk = smallDisk("64k");
    const free = fillDisk(disk);
    await expect(readHostId(disk, 1_000)).rejects.toThrow("ENOSPC");
    free();
    expect(await readHostId(disk, 1_000)).toMatch(/^host_\w+$/);
  });
});
