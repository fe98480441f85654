/** One contestant in a process of its own: warms up, does the work, and prints how long it took. */
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../packages/server/src/platform/ids.ts";
import { type Place, type Start, Tally, tasksPerProject } from "./work.ts";

/** What the process is asked to do. */
export interface Assignment {
  /** Ours, or the name of a peer's file. */
  readonly name: string;
  readonly place: Place;
  /** How many projects at once, and how often. */
  readonly projects: number;
  readonly times: number;
  /** How often one project alone. */
  readonly alone: number;
}

export interface Times {
  readonly tasksPerSecond: readonly number[];
  readonly aloneMs: readonly number[];
}

const { name, place, projects, times, alone } = JSON.parse(process.argv[2]!) as Assignment;
// Peers are not compiled with the rest: they are there only when they were installed.
const { start } =
  name === "ours" ? await import("./ours.ts") : ((await import(`./peers/${name}.mjs`)) as { start: Start });
const tally = new Tally();
const contestant = await start(place, tally.ran);
// The code is compiled as it is used, and connections are made.
await timed(projects);
const tasksPerSecond: number[] = [];
for (let round = 0; round < times; round += 1)
  tasksPerSecond.push((projects * tasksPerProject) / ((await timed(projects)) / 1_000));
const aloneMs: number[] = [];
for (let round = 0; round < alone + 2; round += 1) {
  await delay(50);
  const ms = await timed(1);
  if (round >= 2) aloneMs.push(ms);
}
await contestant.stop();
console.log(`result: ${JSON.stringify({ tasksPerSecond, aloneMs } satisfies Times)}`);
process.exit(0);

async function timed(count: number): Promise<number> {
  const ids = Array.from({ length: count }, () => newId("project", Date.now()));
  const startMs = performance.now();
  await contestant.run(ids);
  const ms = performance.now() - startMs;
  tally.check(ids);
  return ms;
}
