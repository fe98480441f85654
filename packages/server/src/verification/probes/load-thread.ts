import { parentPort, workerData } from "node:worker_threads";
import autocannon from "autocannon";
import type { Load, LoadToMake } from "./measure-load.ts";

// In a thread: it keeps one core busy for as long as it lasts.
const { url, headers, connections, durationMs } = workerData as LoadToMake;
const latenciesMs: number[] = [];
/** A program that answers without being asked may do so millions of times. */
const maxLatencies = 1_000_000;
const answeredNow = new Set<unknown>();
let requests = 0;
let errors = 0;
const startedAt = performance.now();
const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
const options = { url, headers, connections, duration: durationMs / 1000, timeout: 10 };
const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
run.on("response", (client, status, _bytes, responseMs) => {
  requests += 1;
  // Two answers in one piece, or one that only announces another: nobody had asked yet.
  if (status < 200 || status >= 400 || answeredNow.has(client)) errors += 1;
  answeredNow.add(client);
  queueMicrotask(() => answeredNow.clear());
  if (latenciesMs.length < maxLatencies) latenciesMs.push(responseMs);
});
const result = await promise;
latenciesMs.sort((a, b) => a - b);
const load: Load = {
  requests,
  errors: errors + result.errors + result.timeouts,
  seconds: (performance.now() - startedAt) / 1000,
  averageMs: latenciesMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, latenciesMs.length),
  percentilesMs: Object.fromEntries([50, 75, 90, 95, 99].map((p) => [p, percentile(p)])),
};
parentPort?.postMessage(load);

function percentile(p: number): number {
  return latenciesMs[Math.min(latenciesMs.length - 1, Math.ceil((p / 100) * latenciesMs.length) - 1)] ?? 0;
}
