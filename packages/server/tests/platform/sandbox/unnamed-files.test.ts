import { closeSync, openSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { findUnnamedFiles } from "../../../src/platform/sandbox/unnamed-files.ts";

test.skipIf(process.platform !== "linux")("a run that holds very many files open does not hold up others", async () => {
  const files = Array.from({ length: 500 }, () => openSync("/dev/null", "r"));
  onTestFinished(() => files.forEach(closeSync));
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  // As a hundred children that have inherited them.
  const { onDisk } = await findUnnamedFiles(Array.from({ length: 100 }, () => process.pid));
  isDone = true;
  expect(onDisk).toEqual([]);
  expect(turns).toBeGreaterThan(10);
});
