import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { checkFolder } from "../../../src/app/doctor/check-machine.ts";
import { lackOfSpace } from "../../../src/engine/execution/lack-of-space.ts";
import { cannotFillDisk, smallDisk } from "../../support/small-disk.ts";

test.skipIf(cannotFillDisk)("a disk without room for one more file is full, however many bytes it has", async () => {
  const disk = smallDisk("1g,nr_inodes=9");
  for (let n = 0; n < 8; n++) writeFileSync(join(disk, `${n}`), "");
  expect(() => writeFileSync(join(disk, "more"), "")).toThrow("ENOSPC");
  expect(await lackOfSpace(disk, "It ended with exit code 2.", "it failed")).toMatchObject({ code: "no_space" });
  expect(await checkFolder(disk)).toMatchObject({ message: expect.stringContaining("for 0 files") });
});

test.skipIf(cannotFillDisk)("a program that found no room for files is believed where few are left", async () => {
  const disk = smallDisk("1g,nr_inodes=1000");
  expect(await lackOfSpace(disk, "mkdir: ENOSPC: no space left on device", "it failed")).toMatchObject({
    code: "no_space",
  });
  expect(await lackOfSpace(disk, "It ended with exit code 2.", "it failed")).toBeUndefined();
});

test.skipIf(cannotFillDisk)("a program that found no room for temporary files is believed", async () => {
  const [folder, temporary] = [smallDisk("600m"), smallDisk("1m")];
  vi.stubEnv("TMPDIR", temporary);
  const log = "cc1: error: /tmp/a.s: No space left on device";
  expect(await lackOfSpace(folder, log, "it failed")).toMatchObject({ code: "no_space" });
  vi.unstubAllEnvs();
  expect(await lackOfSpace(folder, "It ended with exit code 2.", "it failed")).toBeUndefined();
});
