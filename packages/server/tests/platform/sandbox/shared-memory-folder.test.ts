import { existsSync, rmSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { readStat } from "../../../src/platform/sandbox/process-stat.ts";
import { sharedFolderBytes } from "../../../src/platform/sandbox/shared-memory-folder.ts";

test.skipIf(!existsSync("/dev/shm"))("what others keep in the machine's /dev/shm counts for no program", () => {
  const path = `/dev/shm/slipway-test-${process.pid}`;
  onTestFinished(() => rmSync(path));
  writeFileSync(path, Buffer.alloc(2 ** 20, 1));
  // As the first process of a sandbox is, before anything is mounted in it.
  expect(sharedFolderBytes(readStat(process.pid))).toBe(0);
});
