import { expect, onTestFinished, test } from "vitest";
import { startChores } from "../../src/app/chores.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { until } from "../support/until.ts";

test("a chore that takes longer than its interval is not begun once more meanwhile", async () => {
  const ends: (() => void)[] = [];
  let others = 0;
  const slow = {
    everyMs: 1,
    what: "verifying a large artifact",
    work: () => new Promise<void>((end) => ends.push(end)),
  };
  const quick = { everyMs: 1, what: "counting", work: async () => void others++ };
  const failing = { everyMs: 1, what: "failing", work: () => Promise.reject(new Error("It failed.")) };
  onTestFinished(startChores(quietLog, [slow, quick, failing]));
  await until(() => others > 20);
  expect(ends).toHaveLength(1);
  ends[0]!();
  await until(() => ends.length > 1);
});
