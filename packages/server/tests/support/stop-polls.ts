import { onTestFinished, vi } from "vitest";

/** Stops the timers by which the service polls, until the test is over: whatever still arrives was woken. */
export function stopPolls(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}
