import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { isOverCpuLimit } from "../../src/platform/cpu-limit.ts";

const never = new AbortController().signal;

function run(code: string): Worker {
  const worker = new Worker(code, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  return worker;
}

test("a thread that waits, as for a core, stays within a limit that one that computes exceeds", async () => {
  const waiting = run("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)");
  const stop = new AbortController();
  const isOver = isOverCpuLimit(waiting, 300, stop.signal);
  expect(await isOverCpuLimit(run("for (;;) {}"), 400, never)).toBe(true);
  stop.abort();
  expect(await isOver).toBe(false);
});

test("an expression that backtracks for ever is over its limit", async () => {
  expect(await isOverCpuLimit(run(`/^(a+)+$/.test("a".repeat(60) + "!")`), 200, never)).toBe(true);
});

test("a thread that cannot say what it has used is over its limit after a while", { tags: "long" }, async () => {
  const silent = run(`const text = "[" + "1,".repeat(1e6) + "1]"; for (;;) JSON.parse(text)`);
  expect(await isOverCpuLimit(silent, 20, never)).toBe(true);
});

test("what a thread has used before does not count", { tags: "long" }, async () => {
  const worker = run(`const { parentPort } = require("worker_threads");
    const end = process.threadCpuUsage().user + 300e3; while (process.threadCpuUsage().user < end);
    parentPort.postMessage(1); parentPort.once("message", () => { for (;;); })`);
  await new Promise((resolve) => worker.once("message", resolve));
  const stop = new AbortController();
  const isOver = isOverCpuLimit(worker, 250, stop.signal);
  expect(await isOverCpuLimit(run("for (;;) {}"), 350, never)).toBe(true);
  stop.abort();
  expect(await isOver).toBe(false);
});

test("a thread that has ended is over any limit", async () => {
  const worker = run("0");
  await new Promise((resolve) => worker.once("exit", resolve));
  expect(await isOverCpuLimit(worker, 60_000, never)).toBe(true);
});
