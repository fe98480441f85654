import { expect, test } from "vitest";
import { FairTurns, type Turns } from "../../src/platform/fair-turns.ts";

const { signal } = new AbortController();

/** Tells who has its turn, in the order in which they get it. */
function noted(log: string[], name: string, turns: Turns<string>): Promise<void> {
  return turns.take(signal).then(() => void log.push(name));
}

test("whoever needs little is done after one turn of somebody who needs much", async () => {
  const threads = new FairTurns(["thread"]);
  const [much, little] = [threads.join(), threads.join()];
  const log: string[] = [];
  await noted(log, "much", much);
  const waiting = noted(log, "little", little);
  much.charge(15_000);
  const again = noted(log, "much", much);
  await waiting;
  for (let file = 1; file < 60; file++) {
    little.charge(50);
    await noted(log, "little", little);
  }
  little.leave();
  await again;
  expect(log).toEqual(["much", ...Array.from({ length: 60 }, () => "little"), "much"]);
});

test("two that need much take turns, and nobody is owed what others used before", async () => {
  const threads = new FairTurns(["thread"]);
  const first = threads.join();
  await first.take(signal);
  first.charge(100_000);
  const second = threads.join();
  const log: string[] = [];
  const waiting = noted(log, "second", second);
  first.charge(15_000);
  await waiting;
  const again = noted(log, "first", first);
  second.charge(15_000);
  // As much as the first one has used since the second came: it keeps its turn.
  await noted(log, "second", second);
  second.charge(1);
  await again;
  expect(log).toEqual(["second", "second", "first"]);
});

test("what is free is lent at once, also while others have their turns", async () => {
  const threads = new FairTurns(["a", "b"]);
  const lent = await Promise.all([threads.join().take(signal), threads.join().take(signal)]);
  expect(lent.toSorted()).toEqual(["a", "b"]);
});

test("an abort ends the wait at once, and no turn is lost by it", async () => {
  const threads = new FairTurns(["thread"]);
  const [first, second, third] = [threads.join(), threads.join(), threads.join()];
  await first.take(signal);
  const stop = new AbortController();
  const waiting = second.take(stop.signal);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  second.leave();
  const last = third.take(signal);
  first.leave();
  expect(await last).toBe("thread");
});

test("whoever comes again waits behind those who have used less", async () => {
  const threads = new FairTurns(["thread"]);
  const first = threads.join(0);
  await first.take(signal);
  const log: string[] = [];
  const again = threads.join(60_000);
  const waiting = noted(log, "again", again);
  const once = threads.join(0);
  const another = noted(log, "once", once);
  first.leave();
  await another;
  once.leave();
  await waiting;
  expect(log).toEqual(["once", "again"]);
});
