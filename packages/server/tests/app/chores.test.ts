import { expect, onTestFinished, test, vi } from "vitest";
import { choresOf, startChores } from "../../src/app/chores.ts";
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

test("people are asked about in time, though their provider has not answered for the others yet", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const checkRoles = vi.fn(() => new Promise<void>(() => undefined));
  const config = { artifacts: {}, databaseUrl: undefined };
  const chores = choresOf({ config, checkRoles } as never).filter(({ work }) => work === checkRoles);
  onTestFinished(startChores(quietLog, chores));
  vi.advanceTimersByTime(120_000);
  expect(checkRoles).toHaveBeenCalledTimes(2);
});
