/**
 * What it costs to let an agent work under supervision, with its record and its log in a database: `npm run bench:supervisor`,
 * which also measures the watch over ten agents and how soon one that takes too much memory is dead (benchmarks/sandbox.ts).
 * Bare spawns and supervised runs take turns; times are medians.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseSpec, planWork, resolveSpec } from "@slipway/spec";
import { commandDriver } from "../packages/server/src/agents/drivers/command/driver.ts";
import { plainProfile } from "../packages/server/src/agents/drivers/command/profiles.ts";
import { createRunRecords } from "../packages/server/src/agents/record/run-record.ts";
import { sandboxedHost } from "../packages/server/src/agents/supervisor/sandboxed-host.ts";
import { supervise } from "../packages/server/src/agents/supervisor/supervise.ts";
import { ProjectLogs } from "../packages/server/src/engine/logs/log-writer.ts";
import { startEmbeddedPostgres } from "../packages/server/src/platform/database/index.ts";
import { newId } from "../packages/server/src/platform/ids.ts";
import { createLog } from "../packages/server/src/platform/log/log.ts";
import { createSandbox } from "../packages/server/src/platform/sandbox/index.ts";
import { openDatabase, submit } from "./engine/ours.ts";
import { median, printRow, sized } from "./measure.ts";
import { copyModel } from "./models/copy-model.ts";

const rounds = Number(process.env["ROUNDS"] ?? sized(30, 1));
const log = createLog("warn");
const folder = await mkdtemp(join(tmpdir(), "slipway-bench-"));
// Run by root, the database's user must pass through.
await chmod(folder, 0o711);
const work = await mkdtemp(join(folder, "work-"));
const data = join(folder, "data");
copyModel("database", data);
const postgres = await startEmbeddedPostgres({ folder: data, log });
const { db, pool, userId, close } = await openDatabase({ postgres: postgres.connection });
const projectId = newId("project", Date.now());
await submit(pool, userId, [projectId]);
const sandbox = await createSandbox({ mode: "auto", dataFolder: folder });
const { found } = sandbox;
const records = createRunRecords(db, "bench");
const logs = new ProjectLogs({ db, log, onWritten: () => undefined });
const { document } = resolveSpec(
  parseSpec(
    `spec_version: "1.0.0"\nid: bench\nname: Bench\ndescription: Measures.\noutcome_type: api\nstack: {}\nacceptance: {}\n`,
  ).document!,
);
const [task] = planWork(document).tasks;
let runs = 0;

console.log(
  `The supervisor (${found.kind}; Node ${process.versions.node}; load ${loadavg()[0]!.toFixed(1)} at the start)`,
);
try {
  await measureOverhead();
  await measureLines();
} finally {
  await logs.flush();
  await close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureOverhead(): Promise<void> {
  const [bare, supervised]: [number[], number[]] = [[], []];
  for (let round = -3; round < rounds; round += 1) {
    const bareMs = await timed(spawnBare);
    const supervisedMs = await timed(() => runAgent("true", []));
    if (round < 0) continue;
    bare.push(bareMs);
    supervised.push(supervisedMs);
  }
  const over = median(supervised) - median(bare);
  printRow("a bare spawn of `true`", `${median(bare).toFixed(1)} ms`);
  printRow("the same as an agent's task: more than that", `${over.toFixed(1)} ms`, "", verdict(over <= 50, "≤ 50 ms"));
  const least = Math.min(...supervised) - Math.min(...bare);
  printRow("quickest beside quickest", `${least.toFixed(1)} ms`);
}

/** Our own time on a core while an agent says a thousand lines a second, beside one that says nothing. */
async function measureLines(): Promise<void> {
  const script = (lines: number, seconds = sized(8, 0.2)) =>
    `const line = "a line of what an agent says while it works, with a path src/main.ts in it";
     const timer = setInterval(() => { for (let i = 0; i < ${lines}; i += 1) console.log(line); }, 10);
     setTimeout(() => clearInterval(timer), ${seconds * 1_000})`;
  // What is run for the first time is compiled first.
  await runAgent("node", ["-e", script(10, sized(2, 0.2))]);
  const silent = await shareOf(() => runAgent("node", ["-e", script(0)]));
  const talking = await shareOf(() => runAgent("node", ["-e", script(10)]));
  const share = talking - silent;
  const shown = `${(100 * share).toFixed(2)} %`;
  printRow("1,000 lines a second, masked and kept", shown, "", verdict(share <= 0.05, "≤ 5 % of a core"));
}

async function shareOf(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  const ms = await timed(run);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / ms;
}

async function runAgent(command: string, args: readonly string[]): Promise<void> {
  runs += 1;
  const attempt = { projectId, taskId: task!.id, number: runs };
  const limits = { minutes: 5, minuteMs: 60_000, idleMs: 60_000, maxTokens: undefined, maxCostUsd: undefined };
  const about = { ...attempt, agentId: "agent_bench", attemptId: `${runs}-1`, baseCommit: "", handle: undefined };
  const book = await records.open({ ...about, prompt: "Do it.", limits });
  const { outcome, progress } = await supervise({
    driver: commandDriver(plainProfile, { command, args }),
    work: { projectId, agentId: "agent_bench", attempt: 1, task: task!, document, prompt: "Do it.", folder: work },
    limits,
    secrets: ["open-sesame/42"],
    log: logs.open({ projectId, source: "agent", taskId: task!.id, attempt: runs, agentId: "agent_bench" }),
    signal: new AbortController().signal,
    handle: undefined,
    onProgress: (latest) => book.note(latest),
    decide: async () => true,
    makeHost: (signal, isHeldUp) =>
      sandboxedHost(
        {
          sandbox,
          runId: `bench-${process.pid}-${runs}`,
          folder: work,
          limits: { memoryBytes: 2 ** 31, cpuCores: 1024, processes: 100, diskBytes: 2 ** 32, idleMs: 60_000 },
          network: "none",
          secrets: [],
          fetch: () => Promise.reject(new Error("It calls nobody.")),
          saveHandle: (handle) => book.saveHandle(handle),
          isHeldUp,
        },
        signal,
      ),
  });
  if (outcome.is !== "completed") throw new Error(`It ended otherwise: ${JSON.stringify(outcome)}`);
  await book.end(progress, outcome.is);
}

async function spawnBare(): Promise<void> {
  const child = spawn("true", [], { cwd: work, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "exit");
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function verdict(isReached: boolean, goal: string): string {
  return `goal ${goal}: ${isReached ? "reached" : "MISSED"}`;
}
