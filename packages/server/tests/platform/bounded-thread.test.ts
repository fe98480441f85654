import { expect, onTestFinished, test } from "vitest";
import { BoundedThread } from "../../src/platform/bounded-thread.ts";

/** Says what it hears; "nothing" is never answered. */
const entry = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", (heard) => heard !== "nothing" && parentPort.postMessage({ answer: heard }));`)}`,
);

test("a question that is no longer wanted does not wait for those before it", async () => {
  const thread = new BoundedThread<string, string>(entry, { cpuLimitMs: 60_000, heapMb: 64 });
  onTestFinished(() => thread.close());
  const [before, cancelled] = [new AbortController(), new AbortController()];
  const answered = thread.ask("nothing", before.signal);
  const waiting = thread.ask("a", cancelled.signal);
  const last = thread.ask("b", new AbortController().signal);
  cancelled.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  before.abort(new Error("over"));
  await expect(answered).rejects.toThrow("over");
  expect(await last).toEqual({ answer: "b" });
});
