import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkFolder } from "../../../src/app/doctor/check-machine.ts";
import { lackOfSpace } from "../../../src/engine/execution/lack-of-space.ts";
import { cannotFillDisk, fillDisk, smallDisk } from "../../support/small-disk.ts";

test.skipIf(cannotFillDisk)("a disk without room for one more file is full, however many bytes it has", async () => {
  const disk = smallDisk("1g,nr_inodes=9");
  for (let n = 0; n < 8; n++) writeFileSync(join(disk, `${n}`), "");
  expect(() => writeFileSync(join(disk, "more"), "")).toThrow("ENOSPC");
  expect(await lackOfSpace(disk, "It ended with exit code 2.", "it failed")).toMatchObject({ code: "no_space" });
  expect(await checkFolder(disk)).toMatchObject({ message: expect.stringContaining("for 0 files") });
});

test.skipIf(cannotFillDisk)("a program that found no room for files is believed where few are left", async () => {
  const disk = smallDisk("1g,nr_inodes=5000");
  for (let n = 0; n < 4700; n++) writeFileSync(join(disk, `${n}`), "");
  expect(await lackOfSpace(disk, "mkdir: ENOSPC: no space left on device", "it failed")).toMatchObject({
    code: "no_space",
  });
  expect(await lackOfSpace(disk, "It ended with exit code 2.", "it failed")).toBeUndefined();
});

test.skipIf(cannotFillDisk)("a program that found no room for temporary files is believed", async () => {
  const [folder, temporary] = [smallDisk("600m"), smallDisk("1m")];
  fillDisk(temporary);
  vi.stubEnv("TMPDIR", temporary);
  const log = "cc1: error: /tmp/a.s: No space left on device";
  expect(await lackOfSpace(folder, log, "it failed")).toMatchObject({ code: "no_space" });
  vi.unstubAllEnvs();
  expect(await lackOfSpace(folder, "It ended with exit code 2.", "it failed")).toBeUndefined();
});

test.skipIf(cannotFillDisk)("a small disk that is nearly empty is not full, whatever a program says", async () => {
  const [folder, temporary] = [smallDisk("1g"), smallDisk("3m,nr_inodes=90")];
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("TMPDIR", temporary);
  const log = "expected ENOSPC: no space left on device to be told";
  expect(await lackOfSpace(folder, log, "it failed")).toBeUndefined();
  expect(await lackOfSpace(temporary, log, "it failed")).toBeUndefined();
  expect(await lackOfSpace(temporary, "It ended with exit code 2.", "it failed")).toBeUndefined();
});

test.skipIf(cannotFillDisk)("a program that may not watch more files says nothing of a disk", async () => {
  const disk = smallDisk("1g,nr_inodes=5000");
  for (let n = 0; n < 4700; n++) writeFileSync(join(disk, `${n}`), "");
  const error = "Error: ENOSPC: System limit for number of file watchers reached, watch '/app/src'";
  const log = `${error}\n    at FSWatcher (node:internal) {\n  errno: -28,\n  syscall: 'watch',\n  code: 'ENOSPC',\n}`;
  expect(await lackOfSpace(disk, log, "it failed")).toBeUndefined();
  const ofOthers = "inotify_add_watch(/app/src) failed: No space left on device";
  expect(await lackOfSpace(disk, ofOthers, "it failed")).toBeUndefined();
  expect(await lackOfSpace(disk, `${log}\nmkdir: No space left on device`, "it failed")).toMatchObject({
    code: "no_space",
  });
});
