/**
 * Measures what sandboxing a process costs, and how soon one that exceeds its memory is dead. Run all of it by
 * `npm run bench:sandbox`, or a part by `npm run bench:sandbox overhead|watch|overshoot`; as root, each run gets its own
 * uid. Bare and sandboxed processes take turns; times are medians.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  createSandbox,
  type ProcessLimits,
  type ProcessOptions,
  type Sandbox,
} from "../packages/server/src/platform/sandbox/index.ts";
import { median, printRow, sized } from "./measure.ts";

const MB = 2 ** 20;
const rounds = Number(process.env["ROUNDS"] ?? sized(30, 1));
const folder = await mkdtemp(join(tmpdir(), "slipway-bench-"));
const auto = await createSandbox({ mode: "auto", dataFolder: folder });
const none = await createSandbox({ mode: "none", dataFolder: folder });
const found = [auto.found, none.found];
const sandboxes = new Map([auto, none].map((one) => [one.found.kind, one]));
const ample: ProcessLimits = { memoryBytes: 2 ** 40, cpuCores: 1024, processes: 1_000, diskBytes: 2 ** 40 };
let runs = 0;
const part = process.argv[2];
const isAsked = (name: string) => part === undefined || part === name;

console.log(`The sandbox (Node ${process.versions.node}; load ${loadavg()[0]!.toFixed(1)} at the start)`);
for (const { kind, reasons } of found) console.log(`${kind}: ${reasons.join("; ")}`);
try {
  if (isAsked("overhead")) await measureOverhead();
  for (const [kind, sandbox] of sandboxes) {
    const watching = `${kind}: watching 10 trees of 5`;
    if (isAsked("watch")) await measureWatch(`${watching}, far from the limit`, sandbox, 2_000 * MB);
    if (isAsked("watch")) await measureWatch(`${watching}, near the limit`, sandbox, 150 * MB);
    if (isAsked("overshoot")) await measureOvershoot(kind, sandbox);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureOverhead(): Promise<void> {
  const times = new Map<string, number[]>([
    ["bare", []],
    ...[...sandboxes.keys()].map((kind) => [kind, []] as const),
  ] as [string, number[]][]);
  for (let round = -3; round < rounds; round += 1) {
    for (const [name, taken] of times) {
      const start = performance.now();
      if (name === "bare") await spawnBare();
      else await (await startSandboxedProcess(sandboxes.get(name as "plain")!, { command: ["true"] })).ended;
      if (round >= 0) taken.push(performance.now() - start);
    }
  }
  const bare = median(times.get("bare")!);
  printRow("a bare spawn of `true`", `${bare.toFixed(1)} ms`);
  for (const kind of sandboxes.keys()) {
    const over = median(times.get(kind)!) - bare;
    printRow(`${kind}: more than that`, `${over.toFixed(1)} ms`, "", verdict(over <= 50, "≤ 50 ms"));
    // On a busy machine, this tells more than medians.
    const least = Math.min(...times.get(kind)!) - Math.min(...times.get("bare")!);
    printRow(`${kind}: quickest beside quickest`, `${least.toFixed(1)} ms`);
  }
}

async function spawnBare(): Promise<void> {
  const child = spawn("true", [], { cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "exit");
}

/** CPU time of the service while ten runs hold memory and do nothing else. */
async function measureWatch(what: string, sandbox: Sandbox, memoryBytes: number): Promise<void> {
  const hold = `node -e 'globalThis.a = Buffer.alloc(90 * 2 ** 20, 1); console.log("full"); setInterval(() => {}, 1e6)'`;
  const command = `sleep 1000 & sleep 1000 & sleep 1000 & ${hold}`;
  const limits = { memoryBytes, processes: 100, idleMs: 1e6 };
  const processes = [];
  for (let tree = 0; tree < sized(10, 1); tree += 1) {
    const child = await startSandboxedProcess(sandbox, { command, limits }, false);
    await once(child.stdout, "data");
    processes.push(child);
  }
  await delay(sized(1_000, 0));
  const before = process.cpuUsage();
  const start = performance.now();
  await delay(sized(8_000, 100));
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1_000 / (performance.now() - start);
  printRow(what, `${(100 * share).toFixed(2)} %`, "", verdict(share <= 0.03, "≤ 3 % of a core"));
  await Promise.all(processes.map((child) => child.kill({ graceMs: 0 })));
}

/** The time from exceeding the limit until no process is left. */
async function measureOvershoot(kind: string, sandbox: Sandbox): Promise<void> {
  const memoryBytes = sized(500, 100) * MB;
  const script = `const all = []; const start = Date.now();
    setInterval(() => {
      while (all.length * 10 < (Date.now() - start) * 0.4) {
        all.push(Buffer.alloc(10 * 2 ** 20, 1));
        require("fs").writeSync(1, Date.now() + " " + process.memoryUsage.rss() + "\\n");
      }
    }, 5)`;
  const times: number[] = [];
  const most: number[] = [];
  for (let round = 0; round < sized(7, 1); round += 1) {
    const child = await startSandboxedProcess(
      sandbox,
      { command: ["node", "-e", script], limits: { memoryBytes } },
      false,
    );
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      said += part;
    });
    child.stderr.resume();
    const end = await child.ended;
    const deadAt = Date.now();
    if (end.is !== "memory") throw new Error(`it ended otherwise: ${JSON.stringify(end)}`);
    // Some are dead before they report it: then their last line counts.
    const steps = said
      .trim()
      .split("\n")
      .map((line) => line.split(" ").map(Number));
    const over = steps.find(([, bytes]) => bytes! > memoryBytes) ?? steps.at(-1);
    times.push(deadAt - over![0]!);
    most.push(end.usedBytes / MB);
  }
  const worst = Math.max(...times);
  const used = `seen at ${median(most).toFixed(0)} MB of 500`;
  printRow(`${kind}: overshoot at 400 MB/s to dead, median`, `${median(times).toFixed(0)} ms`, "", used);
  printRow(`${kind}: the longest of ${times.length}`, `${worst.toFixed(0)} ms`, "", verdict(worst <= 500, "≤ 500 ms"));
}

async function startSandboxedProcess(
  sandbox: Sandbox,
  { limits, ...options }: Pick<ProcessOptions, "command"> & { readonly limits?: Partial<ProcessLimits> },
  isRead = true,
) {
  runs += 1;
  const child = await sandbox.startProcess({
    runId: `bench-${process.pid}-${runs}`,
    folder,
    ...options,
    limits: { ...ample, ...limits },
  });
  if (isRead) {
    child.stdout.resume();
    child.stderr.resume();
  }
  return child;
}

function verdict(isReached: boolean, goal: string): string {
  return `goal ${goal}: ${isReached ? "reached" : "MISSED"}`;
}
