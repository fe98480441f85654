import { parentPort, workerData } from "node:worker_threads";
import autocannon from "autocannon";
import { averageOf, waitsOfUnanswered } from "./count-unanswered.ts";
import type { Load, LoadToMake } from "./measure-load.ts";

// In a thread: it keeps one core busy for as long as it lasts.
const { url, headers, connections, durationMs } = workerData as LoadToMake;
const latenciesMs: number[] = [];
/** A program that answers without being asked may do so millions of times. */
const maxLatencies = 1_000_000;
const answeredNow = new Set<unknown>();
let requests = 0;
let good = 0;
let refused = 0;
const startedAt = performance.now();
const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
/** When each connection got its last answer, and so asked again. */
const askedAtMs = new Map<object, number>();
const options: autocannon.Options = {
  ...{ url, headers, connections, duration: durationMs / 1000, timeout: 10 },
  setupClient: (client) => void askedAtMs.set(client, performance.now()),
};
const run = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
run.on("response", (client, status, _bytes, responseMs) => {
  requests += 1;
  askedAtMs.set(client, performance.now());
  // Two answers in one piece, or one that only announces another: nobody had asked yet.
  const isAsked = status >= 200 && !answeredNow.has(client);
  if (isAsked && status < 400) good += 1;
  else if (isAsked && status < 500) refused += 1;
  answeredNow.add(client);
  queueMicrotask(() => answeredNow.clear());
  if (latenciesMs.length < maxLatencies) latenciesMs.push(responseMs);
});
const result = await promise;
const endedAtMs = performance.now();
const unanswered = waitsOfUnanswered(askedAtMs.values(), latenciesMs, { startedAt, endedAtMs });
const allMs = [...latenciesMs, ...unanswered].sort((a, b) => a - b);
const load: Load = {
  requests,
  good,
  refused,
  // Timeouts are among those that got no answer.
  errors: requests - good + result.errors,
  unanswered: unanswered.length,
  seconds: (endedAtMs - startedAt) / 1000,
  averageMs: averageOf(allMs),
  percentilesMs: Object.fromEntries([50, 75, 90, 95, 99].map((p) => [p, percentile(p)])),
};
parentPort?.postMessage(load);

function percentile(p: number): number {
  return allMs[Math.min(allMs.length - 1, Math.ceil((p / 100) * allMs.length) - 1)] ?? 0;
}
