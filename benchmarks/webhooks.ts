/** What webhooks cost: beside a bare loop that posts the same, and with receivers that are dead. `npm run bench:webhooks`. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { writeRequest } from "../packages/server/src/features/webhooks/delivery/attempt-delivery.ts";
import { stopAll } from "./http/processes.ts";
import { isSmoke, median, printRow, sized } from "./measure.ts";
import type { BareLoop } from "./webhooks/bare-loop.ts";
import { eventData, openStage } from "./webhooks/stage.ts";

const stage = await openStage();

/** Posts what the service posts, byte by byte as much, by as many connections, and keeps no books. */
function startBareLoop() {
  const child = fork(fileURLToPath(new URL("webhooks/bare-loop.ts", import.meta.url)));
  const secret = "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x";
  const event = { eventId: `evt_${crypto.randomUUID()}`, event: "project.created", projectId: "proj_1" } as const;
  const delivery = { ...event, sequence: 12_345, data: eventData, happenedAt: new Date(), attemptCount: 0 };
  const secrets = { secret, oldSecret: undefined, oldSecretUntil: undefined };
  const { headers, body } = writeRequest({ userAgent: "slipway/0" }, secrets, delivery, new Date());
  return {
    rateOf: async (count: number): Promise<number> => {
      child.send({ url: stage.url, connections: 8, headers, body, count } satisfies BareLoop);
      const [rate] = (await once(child, "message")) as [number];
      return rate;
    },
    stop: () => child.disconnect(),
  };
}

/** Until so many more have arrived and are settled, from when it is begun on; gives how many a second. */
async function rateOf(count: number, begin: () => Promise<void>): Promise<number> {
  const [{ last }, beforeArrived] = [await stage.settled(), await stage.arrived()];
  const start = performance.now();
  await begin();
  while ((await stage.arrived()) < beforeArrived + count) await delay(5);
  await settledUpTo(count, last);
  return (count / (performance.now() - start)) * 1000;
}

/** Events that wait in the log, for one webhook. */
async function rateOfWaiting(count: number): Promise<number> {
  const letGo = await stage.holdLog();
  await stage.write(count);
  return rateOf(count, letGo);
}

async function settledUpTo(count: number, after = 0): Promise<void> {
  while ((await stage.settled(after)).count < count) await delay(10);
}

async function measureThroughput(): Promise<void> {
  await stage.register([stage.url]);
  const bare = startBareLoop();
  const count = sized(10_000, 100);
  const rates = { bare: [] as number[], waiting: [] as number[], meanwhile: [] as number[] };
  for (let round = 0; round < sized(9, 1); round += 1) {
    rates.bare.push(await bare.rateOf(count));
    rates.waiting.push(await rateOfWaiting(count));
    rates.meanwhile.push(await rateOf(count, () => stage.write(count)));
    // The code is compiled as it is used.
    if (round < 2 && !isSmoke) for (const all of Object.values(rates)) all.length = 0;
  }
  bare.stop();
  const row = (name: string, ours: readonly number[], goal: string) => {
    const ratio = median(ours.map((rate, round) => rate / rates.bare[round]!));
    printRow(name, `${Math.round(median(ours))}/s`, `${ratio.toFixed(2)}×`, goal);
  };
  printRow("bare undici loop, 8 connections", `${Math.round(median(rates.bare))}/s`);
  row("webhook, the same, all durable", rates.waiting, "≥ 0.35×");
  row("the same while the events are written", rates.meanwhile, "");
}

async function measureLatency(): Promise<void> {
  await stage.register([stage.url]);
  await stage.write(1);
  await settledUpTo(1);
  await stage.told(true);
  const seconds = sized(10, 0.1);
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

const livingCount = sized(900, 9);
const deadCount = sized(100, 2);

/** How many deliveries a second the living webhooks get, with so many dead ones beside them. */
async function rateOfLiving(dead: number): Promise<number> {
  const living = Array.from({ length: livingCount }, (_, at) => `${stage.url}/${at}`);
  // Half of them hang, at half of the others nobody listens.
  const gone = Array.from({ length: dead }, (_, at) => (at % 2 === 0 ? `${stage.url}/hang` : "http://127.0.0.1:9/"));
  await stage.register([...living, ...gone]);
  // All are known by then, the dead as well.
  for (let sent = 0; sent < 3; sent += 1) await stage.write(1);
  await settledUpTo(livingCount * 3);
  const { last } = await stage.settled();
  const start = performance.now();
  const events = sized(30, 2);
  for (let sent = 0; sent < events; sent += 1) await stage.write(1);
  await settledUpTo(livingCount * events, last);
  return ((livingCount * events) / (performance.now() - start)) * 1000;
}

async function measureFairness(): Promise<void> {
  const rates = { alone: [] as number[], beside: [] as number[], ratios: [] as number[] };
  await rateOfLiving(0);
  for (let round = 0; round < sized(4, 1); round += 1) {
    // Each comes first as often as the other.
    const first = round % 2 === 0 ? 0 : deadCount;
    const both = new Map([[first, await rateOfLiving(first)]]);
    both.set(deadCount - first, await rateOfLiving(deadCount - first));
    const [alone, beside] = [both.get(0)!, both.get(deadCount)!];
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
try {
  for (const [name, measure] of Object.entries(parts))
    if (wanted.length === 0 || wanted.includes(name)) await measure();
} finally {
  await stage.stop();
  await stopAll();
}
