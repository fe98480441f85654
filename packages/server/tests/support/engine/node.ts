import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentReport, FunctionWork } from "../../../src/agents/index.ts";
import { readConfig } from "../../../src/app/config.ts";
import { serve } from "../../../src/app/serve.ts";
import { finishingAgent } from "./finishing-agent.ts";
import { Gate } from "./gate.ts";
import type { NodeTraits } from "./run-node.ts";
import { scriptedAgent } from "./scripted-agent.ts";

/** A node of the service as `slipway serve` starts it, but with an agent that does what the titles of its tasks say. */
const [, ...args] = process.argv.slice(2);
const { config } = readConfig(args, process.env);
const traits = JSON.parse(process.env["NODE_TRAITS"] ?? "{}") as NodeTraits;
const { clockOffsetMs = 0, leaseMs, slots = 6, gates = join(config.dataFolder, "gates") } = traits;

const realNow = Date.now;
Date.now = () => realNow() + clockOffsetMs;

await serve(config, {
  clock: { now: () => new Date(realNow() + clockOffsetMs) },
  engine: {
    agents: [
      scriptedAgent(script, { slots }),
      finishingAgent({ name: "finisher", capabilities: ["finishing"] }, finish),
    ],
    retryDelayMs: () => 50,
    ...(leaseMs !== undefined && { leaseMs }),
  },
});

async function script({ task, attempt, folder, projectId, signal }: FunctionWork): Promise<AgentReport | undefined> {
  if (task.role === "planner") return undefined;
  // What an attempt leaves that is ended half-way: it must never get into the result.
  await writeFile(join(folder, `${task.id}.txt`), "half");
  if (task.title.includes("waits")) await new Gate(gates, projectId, task.id).pass(signal);
  else await delay(workMsOf(task.id), undefined, { signal });
  if (task.title.includes("always fails") || (task.title.includes("fails once") && attempt === 1))
    return { is: "failed", code: "scripted", message: `${task.title}, attempt ${attempt}` };
  return undefined;
}

/** Only for documents that ask for its capability: those that need somebody who follows no rules. */
async function finish(work: FunctionWork): Promise<void> {
  // It plans too, where everybody else is busy: a plan has no files.
  if (work.task.role === "planner") return;
  await script(work);
  await writeFile(join(work.folder, `${work.task.id}.txt`), work.task.title.toLowerCase());
}

/** Some tasks take a while, always the same ones. */
function workMsOf(taskId: string): number {
  const chance = createHash("sha256").update(taskId).digest().readUInt32BE();
  return chance % 3 === 0 ? 20 + (chance % 181) : 0;
}
