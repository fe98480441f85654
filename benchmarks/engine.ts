/**
 * The engine beside its peers: the same work in the same run. `npm run bench:engine`, or one part of it:
 * `npm run bench:engine peers|waiting`, or some contestants: `npm run bench:engine peers ours bullmq`. Everybody's writes
 * are on the disk before they count: in one Postgres, or in what the peer brings along. Contestants take turns, each in
 * a process of its own; each number is the median of all rounds, each ratio that of the rounds' ratios. Everybody keeps
 * state and events of each project in Postgres; ours together with the queue and the history, theirs as they can.
 */
import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Assignment, Times } from "./engine/contestant.ts";
import { installPeers, type Servers, startServers } from "./engine/servers.ts";
import type { Costs } from "./engine/waiting.ts";
import { tasksPerProject } from "./engine/work.ts";
import { isSmoke, median, printRow, sized } from "./measure.ts";

const rounds = sized(3, 1);
const assignment = sized({ projects: 200, times: 3, alone: 10 }, { projects: 4, times: 1, alone: 1 });

interface Entry {
  readonly title: string;
  /** What is looked at beside the users' own ways. */
  readonly isBatched?: true;
  readonly needs?: "redis" | "restate";
}

const entries: Readonly<Record<string, Entry>> = {
  ours: { title: "slipway: state, events, history and queue in one" },
  "pg-boss": { title: "pg-boss work(), transactional, NOTIFY" },
  "graphile-worker": { title: "graphile-worker run(), local queue" },
  dbos: { title: "DBOS workflow with steps" },
  restate: { title: "Restate handler with steps", needs: "restate" },
  bullmq: { title: "BullMQ Worker, appendfsync always", needs: "redis" },
  "bullmq-batches": { title: "BullMQ given our own batching", needs: "redis", isBatched: true },
  "pg-boss-batches": { title: "pg-boss given batches of 100, all or none", isBatched: true },
};

const [part, ...named] = process.argv.slice(2);
const chosen = sized(named, ["ours"]);
const hasPeers = !isSmoke;
if (hasPeers) await installPeers();
const servers = await startServers({ hasPeers });
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => servers.stop().finally(() => process.exit(1)));
try {
  console.log(`The engine (Node ${process.versions.node}; medians of ${rounds} rounds)`);
  if (part !== "waiting") await comparePeers(servers);
  if (part !== "peers") await measureWaiting(servers);
} finally {
  await servers.stop();
}

type Measured = Map<string, { tasksPerSecond: number[]; aloneMs: number[]; failure?: string }>;

async function comparePeers(servers: Servers): Promise<void> {
  const names = Object.keys(entries).filter((name) => chosen.length === 0 || chosen.includes(name));
  const measured: Measured = new Map(names.map((name) => [name, { tasksPerSecond: [], aloneMs: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    const load = loadavg()[0]!.toFixed(1);
    for (const name of names) {
      const found = measured.get(name)!;
      const missing = entries[name]!.needs && servers.missing[entries[name]!.needs];
      if (missing !== undefined) found.failure = `not installed: ${missing}`;
      if (found.failure !== undefined) continue;
      try {
        const { tasksPerSecond, aloneMs } = await measure(servers, name);
        found.tasksPerSecond.push(median(tasksPerSecond));
        found.aloneMs.push(median(aloneMs));
      } catch (error) {
        found.failure = `failed: ${(error as Error).message}`;
      }
    }
    console.error(`round ${round + 1} began at load ${load}`);
  }
  printTable(measured);
}

async function measure(servers: Servers, name: string): Promise<Times> {
  const task: Assignment = { name, place: await servers.newPlace(), ...assignment };
  return (await run([fileURLToPath(new URL("engine/contestant.ts", import.meta.url)), JSON.stringify(task)])) as Times;
}

async function measureWaiting(servers: Servers): Promise<void> {
  const waiting = sized(10_000, 50);
  const program = fileURLToPath(new URL("engine/waiting.ts", import.meta.url));
  const task = { place: await servers.newPlace(), warmUpRounds: sized(10, 1), waiting, times: sized(30, 2) };
  const costs = (await run(["--expose-gc", program, JSON.stringify(task)])) as Costs;
  const [alone, beside] = [median(costs.aloneMs), median(costs.besideMs)];
  printRow(`each of ${waiting} projects that wait, heap`, `${(costs.heapBytes / 1024).toFixed(2)} KB`, "", "≤ 2 KB");
  printRow("the same, resident memory", `${(costs.rssBytes / 1024).toFixed(2)} KB`, "", "≤ 2 KB");
  printRow("one project, alone", `${alone.toFixed(1)} ms`, "1.00×");
  printRow(`one project beside ${waiting} that wait`, `${beside.toFixed(1)} ms`, `${(beside / alone).toFixed(2)}×`);
}

/** Has a program of ours run in a process of its own, and answers what it found. */
async function run(args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000, maxBuffer: 64 << 20 });
  return JSON.parse(/^result: (.*)$/m.exec(stdout)![1]!);
}

function printTable(measured: Measured): void {
  const { projects } = assignment;
  printRow(`${projects} projects at once, ${tasksPerProject} tasks each · one alone`, "tasks/s", "one");
  for (const [name, { tasksPerSecond, aloneMs, failure }] of measured) {
    const { title } = entries[name]!;
    if (failure !== undefined) printRow(title, "", "", failure);
    else printRow(title, median(tasksPerSecond).toFixed(0), `${median(aloneMs).toFixed(1)} ms`);
  }
  const ours = measured.get("ours");
  if (ours === undefined) return;
  const others = [...measured].filter(([name, { failure }]) => name !== "ours" && failure === undefined);
  const users = others.filter(([name]) => entries[name]!.isBatched === undefined);
  const fastest = users.toSorted(([, a], [, b]) => median(b.tasksPerSecond) - median(a.tasksPerSecond))[0];
  const quickest = users.toSorted(([, a], [, b]) => median(a.aloneMs) - median(b.aloneMs))[0];
  if (fastest !== undefined)
    printRow(
      `tasks/s, to the fastest peer (${fastest[0]})`,
      "",
      ratio(ours.tasksPerSecond, fastest[1].tasksPerSecond),
      "≥ 4×",
    );
  for (const [name, { tasksPerSecond }] of others.filter(([name]) => entries[name]!.isBatched)) {
    const goal = name === "bullmq-batches" ? "≥ 1.5×" : "";
    printRow(`tasks/s, to ${entries[name]!.title}`, "", ratio(ours.tasksPerSecond, tasksPerSecond), goal);
  }
  if (quickest !== undefined)
    printRow(
      `one alone, to the quickest peer (${quickest[0]})`,
      "",
      ratio(ours.aloneMs, quickest[1].aloneMs),
      "≤ 0.7×",
    );
}

/** How often one goes into the other, round by round. */
function ratio(values: readonly number[], others: readonly number[]): string {
  return `${median(values.map((value, round) => value / others[round]!)).toFixed(2)}×`;
}
