/**
 * The proxy before deployed applications, beside a bare undici pass-through, nginx and HAProxy, and what a switch and a bad
 * canary cost under load: `npm run bench:proxy`, or one part of it: `npm run bench:proxy rate|switch|canary`. Proxies, program
 * and load are processes of their own; the contestants take turns, and each ratio is the median of the rounds' ratios.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Load } from "./http/load.ts";
import { newFolder, Running, stopAll } from "./http/processes.ts";
import { median, printRow, sized, whyMissing } from "./measure.ts";
import { startChild, stopChildren } from "./proxy/messages.ts";
import { startHaproxy, startNginxProxy } from "./proxy/others.ts";

const rounds = Number(process.env["ROUNDS"] ?? sized(5, 1));
const connections = 50;
const program = startChild("program");

console.log(
  `The proxy (Node ${process.versions.node}; ${connections} connections; load ${loadavg()[0]!.toFixed(1)} at the start)`,
);
printRow("", "", "ratio", "goal");
const parts = { rate: compareRates, switch: measureSwitches, canary: measureCanary };
const chosen = process.argv[2];
try {
  for (const [name, measure] of Object.entries(parts)) if (chosen === undefined || chosen === name) await measure();
} finally {
  stopChildren();
  await stopAll();
}

interface Contestant {
  readonly port: number;
  readonly pid: number;
  readonly rates: number[];
  readonly cpuMs: number[];
}

async function compareRates(): Promise<void> {
  const origin = await program("program open", { name: "v1" });
  const folder = newFolder();
  const bare = contestant(await Running.start([fileURLToPath(new URL("proxy/bare.ts", import.meta.url)), origin]));
  const ours = contestant(await Running.start([fileURLToPath(new URL("proxy/ours.ts", import.meta.url)), origin]));
  const starters = { nginx: startNginxProxy, haproxy: startHaproxy };
  const others: { readonly name: string; readonly proxy: Contestant }[] = [];
  for (const [name, start] of Object.entries(starters)) {
    const missing = whyMissing(name);
    if (missing === undefined) others.push({ name, proxy: contestant(await start(folder, origin)) });
    else printRow(name, "", "", missing);
  }
  for (let round = 0; round < rounds; round += 1)
    for (const one of [bare, ours, ...others.map(({ proxy }) => proxy)]) await measureRate(one, round === 0);
  const row = (what: string, { rates, cpuMs }: Contestant, goal = "") => {
    printRow(what, `${median(rates).toFixed(0)}/s`, ratio(rates, bare.rates), goal);
    printRow(`${what}: its own time a request`, `${(1_000 * median(cpuMs)).toFixed(0)} µs`, ratio(cpuMs, bare.cpuMs));
  };
  row("bare undici pass-through", bare);
  row("our proxy", ours, "≥ 0.8×");
  for (const { name, proxy } of others) row(name, proxy);
}

/** Ten switches between blue and green, then three rolling updates of three instances, under load. */
async function measureSwitches(): Promise<void> {
  const proxy = startChild("switched");
  const load = startChild("load");
  const port = await proxy("proxy listen", null);
  const times: { readonly ms: number; readonly cpuMs: number }[] = [];
  const route = async (...releases: (readonly [release: string, origins: readonly string[]])[]) => {
    const backends = releases.map(([release, origins]) => ({ release, origins, weight: origins.length }));
    times.push(await proxy("proxy route", { backends }));
  };
  const step = sized(2_000, 50);
  let wanted = 0;
  const settle = async () => {
    for (wanted += step; (await load("load count", null)).answered < wanted; ) await delay(5);
  };
  let current = await program("program open", { name: "v0" });
  await route(["v0", [current]]);
  // That was no switch yet.
  times.pop();
  await load("load start", { port, connections });
  await settle();
  for (let version = 1; version <= 10; version += 1) {
    const next = await program("program open", { name: `v${version}` });
    await route([`v${version}`, [next]]);
    await proxy("proxy drain", { release: `v${version - 1}` });
    await program("program die", { origin: current });
    current = next;
    await settle();
  }
  let instances: readonly string[] = [current];
  for (let version = 11; version <= 13; version += 1) {
    const [before, after] = [`v${version - 1}`, `v${version}`];
    const fresh: string[] = [];
    const old = instances;
    for (let index = 0; index < 3; index += 1) {
      fresh.push(await program("program open", { name: after }));
      await route([before, old.slice(index + 1)], [after, fresh]);
      const leaving = old[index];
      if (leaving === undefined) continue;
      await proxy("proxy drain", { release: before, origin: leaving });
      await program("program die", { origin: leaving });
    }
    instances = fresh;
    await settle();
  }
  const { answered, failed } = await load("load stop", null);
  printRow(
    "10 blue/green switches and 3 rolling updates: failed",
    `${failed} of ${answered}`,
    "",
    verdict(failed === 0 && answered >= 20_000, "0 of ≥ 20,000"),
  );
  printRow("a switch", `${median(times.map(({ ms }) => ms)).toFixed(2)} ms`);
  const slowest = times.reduce((one, other) => (one.ms > other.ms ? one : other));
  printRow("the slowest of all switches", `${slowest.ms.toFixed(2)} ms`, "", verdict(slowest.ms <= 5, "≤ 5 ms"));
  // The rest of it the process waited for a core.
  printRow("the slowest of all switches: its time on a core", `${slowest.cpuMs.toFixed(2)} ms`);
}

/** A canary with a tenth of the requests, of which it answers every second with an error. */
async function measureCanary(): Promise<void> {
  const proxy = startChild("switched");
  const load = startChild("load");
  const port = await proxy("proxy listen", null);
  const stable = { release: "stable", origins: [await program("program open", { name: "stable" })], weight: 90 };
  const bad = await program("program open", { name: "canary", failEvery: 2 });
  await proxy("proxy route", { backends: [stable] });
  await load("load start", { port, connections });
  await delay(sized(1_000, 50));
  const before = await load("load count", null);
  await proxy("proxy route", {
    backends: [stable, { release: "canary", origins: [bad], weight: 10 }],
    canary: { release: "canary", maxErrorRate: 0.01, minRequests: 100 },
  });
  const [{ ms }] = await Promise.all([proxy("proxy breach", null), delay(sized(20_000, 200))]);
  const { answered, failed } = await load("load stop", null);
  const share = (failed - before.failed) / (answered - before.answered);
  printRow("a half-bad canary at 10 %: aborted after", `${ms.toFixed(0)} ms`, "", verdict(ms <= 1_000, "≤ 1 s"));
  printRow(
    `failed of ${answered - before.answered} requests`,
    `${(100 * share).toFixed(3)} %`,
    "",
    verdict(share <= 0.005, "≤ 0.5 %"),
  );
}

async function measureRate(one: Contestant, isFirst: boolean): Promise<void> {
  const text =
    "GET /items/42 HTTP/1.1\r\nhost: app.test\r\nuser-agent: bench\r\naccept: */*\r\ncookie: theme=dark\r\n\r\n";
  const measureMs = sized(2_000, 100);
  const warmUpMs = isFirst ? sized(2_000, 50) : sized(300, 0);
  const load: Load = { port: one.port, requests: [text], status: 200, connections, warmUpMs, measureMs };
  const running = promisify(execFile)(process.execPath, [fileURLToPath(new URL("http/load.ts", import.meta.url))]);
  running.child.stdin!.end(JSON.stringify(load));
  const before = cpuMsOf(one.pid);
  const rate = Number((await running).stdout);
  one.rates.push(rate);
  // Of the whole run, as if the warm-up had been as quick.
  one.cpuMs.push((cpuMsOf(one.pid) - before) / (rate * ((warmUpMs + measureMs) / 1_000)));
}

function contestant({ port, pid }: { readonly port: number; readonly pid: number }): Contestant {
  return { port, pid, rates: [], cpuMs: [] };
}

/** The time on a core that a process has taken so far; the kernel counts in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function ratio(values: readonly number[], others: readonly number[]): string {
  return `${median(values.map((value, round) => value / others[round]!)).toFixed(2)}×`;
}

function verdict(isReached: boolean, goal: string): string {
  return `goal ${goal}: ${isReached ? "reached" : "MISSED"}`;
}
