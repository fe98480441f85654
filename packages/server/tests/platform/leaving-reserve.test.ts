import { expect, test } from "vitest";
import { leavesReserve } from "../../src/platform/leaving-reserve.ts";

const MB = 2 ** 20;
/** Of which 256 MB are kept, and ten thousand files. */
const disk = { totalBytes: 8_192 * MB, totalFiles: 1_000_000, freeBytes: 1_000 * MB, freeFiles: 100_000 };

test("a disk must have room for as much again as was taken", () => {
  const taken = (before: Partial<typeof disk>) => leavesReserve(disk, { ...disk, ...before });
  expect(taken({})).toBe(true);
  expect(taken({ freeBytes: 1_744 * MB })).toBe(true);
  expect(taken({ freeBytes: 1_745 * MB })).toBe(false);
  expect(taken({ freeFiles: 190_000 })).toBe(true);
  expect(taken({ freeFiles: 190_001 })).toBe(false);
});

test("what others free meanwhile makes no room beside what is there", () => {
  const short = { ...disk, freeBytes: 200 * MB };
  expect(leavesReserve(short, { ...short, freeBytes: 0 })).toBe(false);
  const few = { ...disk, freeFiles: 9_000 };
  expect(leavesReserve(few, { ...few, freeFiles: 0 })).toBe(false);
});

test("a disk that may have any number of files is judged by its bytes", () => {
  const any = { ...disk, totalFiles: 0, freeFiles: Number.POSITIVE_INFINITY };
  expect(leavesReserve(any, any)).toBe(true);
  expect(leavesReserve({ ...any, freeBytes: 200 * MB }, any)).toBe(false);
});
