import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { type CallInFlight, CallsInFlight } from "../../../src/features/webhooks/delivery/calls-in-flight.ts";

afterEach(() => vi.useRealTimers());

/** A call that notes that it was aborted. */
const callOf = (name: number, aborted: number[]) => ({ abort: () => void aborted.push(name) });

test("those that have not ended are aborted, in the order in which they began, and nobody else", () => {
  // Each step begins a call, or ends one of those that are under way.
  const steps = fc.array(fc.option(fc.nat({ max: 20 })), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const aborted: number[] = [];
      const calls = new CallsInFlight(1_000);
      const left: { name: number; entry: CallInFlight }[] = [];
      for (const [name, step] of all.entries()) {
        if (step === null) left.push({ name, entry: calls.add(callOf(name, aborted)) });
        else for (const { entry } of left.splice(step % (left.length + 1), 1)) calls.remove(entry);
      }
      calls.abortAll();
      expect(aborted).toEqual(left.map(({ name }) => name));
    }),
  );
});

test("who takes too long is aborted and late, who is slow is counted and told of once", () => {
  vi.useFakeTimers();
  const aborted: number[] = [];
  const onSlow = vi.fn();
  const calls = new CallsInFlight(5_000, onSlow);
  const [first, second] = [calls.add(callOf(1, aborted)), calls.add(callOf(2, aborted))];
  vi.advanceTimersByTime(1_000);
  const third = calls.add(callOf(3, aborted));
  expect([calls.slow, calls.remove(second).isLate]).toEqual([0, false]);
  vi.advanceTimersByTime(1_250);
  expect([calls.slow, onSlow.mock.calls.length]).toEqual([1, 1]);
  vi.advanceTimersByTime(2_760);
  expect([aborted, calls.slow, calls.remove(first).isLate, calls.remove(third).isLate]).toEqual([[1], 2, true, false]);
  expect(calls.slow).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect([aborted, vi.getTimerCount()]).toEqual([[1], 0]);
});
