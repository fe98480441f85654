/** What webhooks cost: beside a bare loop that posts the same, and with receivers that are dead. `npm run bench:webhooks`. */
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { signingSecret, writeBody } from "../packages/server/src/webhooks/index.ts";
import { stopAll } from "./http/processes.ts";
import { median, printRow } from "./measure.ts";
import { eventData, openStage } from "./webhooks/stage.ts";

/** The very one that the service uses. */
const { Agent, request } = createRequire(new URL("../packages/server/package.json", import.meta.url))("undici") as {
  Agent: new (options: { connections: number }) => { close(): Promise<void> };
  request: (url: string, options: object) => Promise<{ body: { dump(): Promise<void> } }>;
};
const connections = 8;
const stage = await openStage();

/** Posts so many bodies of the same size, by as many connections, and keeps no books. */
async function bareLoop(count: number): Promise<number> {
  const dispatcher = new Agent({ connections });
  const told = { event: "project.created" as const, timestamp: new Date().toISOString(), project_id: "proj_1" };
  const body = writeBody({ ...told, data: eventData }, signingSecret("sixteen characters"));
  const headers = { "content-type": "application/json", "webhook-id": "evt_1", "webhook-signature": "v1,x" };
  let left = count;
  const start = performance.now();
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await request(stage.url, { method: "POST", headers, body, dispatcher });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  await dispatcher.close();
  return (count / (performance.now() - start)) * 1000;
}

/** Writes events for one webhook and waits until all have arrived and are settled. */
async function ours(count: number): Promise<number> {
  const [{ last }, beforeArrived] = [await stage.settled(), await stage.arrived()];
  const start = performance.now();
  await stage.write(count);
  while ((await stage.arrived()) < beforeArrived + count) await delay(5);
  await settledUpTo(count, last);
  return (count / (performance.now() - start)) * 1000;
}

async function settledUpTo(count: number, after = 0): Promise<void> {
  while ((await stage.settled(after)).count < count) await delay(20);
}

async function measureThroughput(): Promise<void> {
  await stage.register([stage.url]);
  // The code is compiled as it is used.
  await ours(10_000);
  await bareLoop(10_000);
  const rates = { ours: [] as number[], bare: [] as number[], ratios: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    const [bare, durable] = [await bareLoop(10_000), await ours(10_000)];
    rates.bare.push(bare);
    rates.ours.push(durable);
    rates.ratios.push(durable / bare);
  }
  const ratio = `${median(rates.ratios).toFixed(2)}×`;
  printRow("bare undici loop, 8 connections", `${Math.round(median(rates.bare))}/s`);
  printRow("webhook, the same, all durable", `${Math.round(median(rates.ours))}/s`, ratio, "≥ 0.5×");
}

async function measureLatency(): Promise<void> {
  await stage.register([stage.url]);
  await stage.write(1);
  await settledUpTo(1);
  await stage.told(true);
  const seconds = 10;
  const start = performance.now();
  for (let sent = 0; sent < 200 * seconds; sent += 1) {
    const wait = start + sent * 5 - performance.now();
    if (wait > 0) await delay(wait);
    await stage.write(1);
  }
  await settledUpTo(1 + 200 * seconds);
  const { delaysMs } = await stage.told();
  const sorted = delaysMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  printRow("event written → received at 200/s, p50", `${at(0.5)} ms`, "", "≤ 40 ms");
  printRow("event written → received at 200/s, p99", `${at(0.99)} ms`, "", "≤ 150 ms");
}

/** How many deliveries a second 900 living webhooks get, with so many dead ones beside them. */
async function rateOfLiving(dead: number): Promise<number> {
  const living = Array.from({ length: 900 }, (_, at) => `${stage.url}/${at}`);
  // Half of them hang, at half of the others nobody listens.
  const gone = Array.from({ length: dead }, (_, at) => (at % 2 === 0 ? `${stage.url}/hang` : "http://127.0.0.1:9/"));
  await stage.register([...living, ...gone]);
  // All are known by then, the dead as well.
  for (let sent = 0; sent < 3; sent += 1) await stage.write(1);
  await settledUpTo(900 * 3);
  const { last } = await stage.settled();
  const start = performance.now();
  const events = 30;
  for (let sent = 0; sent < events; sent += 1) await stage.write(1);
  await settledUpTo(900 * events, last);
  return ((900 * events) / (performance.now() - start)) * 1000;
}

async function measureFairness(): Promise<void> {
  const rates = { alone: [] as number[], beside: [] as number[], ratios: [] as number[] };
  await rateOfLiving(0);
  for (let round = 0; round < 4; round += 1) {
    // Each comes first as often as the other.
    const first = round % 2 === 0 ? 0 : 100;
    const both = new Map([[first, await rateOfLiving(first)]]);
    both.set(100 - first, await rateOfLiving(100 - first));
    const [alone, beside] = [both.get(0)!, both.get(100)!];
    rates.alone.push(alone);
    rates.beside.push(beside);
    rates.ratios.push(beside / alone);
  }
  printRow("900 webhooks", `${Math.round(median(rates.alone))}/s`);
  const ratio = `${median(rates.ratios).toFixed(2)}×`;
  printRow("the same beside 100 dead ones", `${Math.round(median(rates.beside))}/s`, ratio, "≥ 0.9×");
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  throughput: measureThroughput,
  latency: measureLatency,
  fairness: measureFairness,
};
const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await measure();
await stage.stop();
await stopAll();
