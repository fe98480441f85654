import { expect, test } from "vitest";
import { discardBytes } from "../../src/platform/discard-bytes.ts";

test("bytes that have a buffer of their own give its memory back, also where they are a part of it", () => {
  const whole = Buffer.allocUnsafeSlow(Buffer.poolSize);
  const long = Buffer.allocUnsafeSlow(200_000);
  discardBytes(whole);
  discardBytes(long.subarray(10, 20));
  expect([whole.length, long.length]).toEqual([0, 0]);
});

test("bytes that share Node's slab with others stay", () => {
  const [mine, others] = [Buffer.from("mine"), Buffer.from("another's")];
  discardBytes(mine);
  expect([mine.toString(), others.toString()]).toEqual(["mine", "another's"]);
});
