import { parentPort, workerData } from "node:worker_threads";
import autocannon from "autocannon";
import type { Load, LoadToMake } from "./measure-load.ts";

// In a thread: it keeps one core busy for as long as it lasts.
const { url, headers, connections, durationMs } = workerData as LoadToMake;
const latenciesMs: number[] = [];
let errors = 0;
const startedAt = performance.now();
const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
const options = { url, headers, connections, duration: durationMs / 1000, timeout: 10 };
const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
run.on("response", (_client, status, _bytes, responseMs) => {
  if (status >= 400) errors += 1;
  latenciesMs.push(responseMs);
});
const result = await promise;
latenciesMs.sort((a, b) => a - b);
const load: Load = {
  requests: latenciesMs.length,
  errors: errors + result.errors + result.timeouts,
  seconds: (performance.now() - startedAt) / 1000,
  averageMs: latenciesMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, latenciesMs.length),
  percentilesMs: Object.fromEntries([50, 75, 90, 95, 99].map((p) => [p, percentile(p)])),
};
parentPort?.postMessage(load);

function percentile(p: number): number {
  return latenciesMs[Math.min(latenciesMs.length - 1, Math.ceil((p / 100) * latenciesMs.length) - 1)] ?? 0;
}
