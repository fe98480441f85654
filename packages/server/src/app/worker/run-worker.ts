import { rm } from "node:fs/promises";
import { type ClaimedTask, maxClaimSeconds } from "@slipway/contract";
import { agentOf, probeWithin, usualProbeLimits } from "../../agents/index.ts";
import { ConfigError } from "../../platform/errors/index.ts";
import { requireGit } from "../../platform/git/index.ts";
import { Dialler } from "../../platform/network/index.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import { onLauncherGone } from "../launcher.ts";
import { findAgent } from "./find-agent.ts";
import { type LeaseDeps, type LeaseEnd, workOnLease } from "./lease-work.ts";
import { makeOwnFolder } from "./own-folder.ts";
import { ServiceCalls, ServiceRefusal } from "./service-calls.ts";
import { readWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** Works on tasks of a service elsewhere until a signal ends it, or after one task. */
export async function runWorker(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = readWorkerOptions(args, env);
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
  onLauncherGone(() => stopping.abort());
  await requireGit();
  const folder = await makeOwnFolder(options.folder, options.sandbox);
  const dialler = new Dialler({
    allowsLoopback: true,
    networks: ["0.0.0.0/0", "::/0"],
    connectMs: 10_000,
    readMs: 600_000,
  });
  try {
    const parts = await prepare(options, { folder, dial: dialler.fetch, stopping: stopping.signal });
    await work(parts, options);
  } catch (error) {
    if (stopping.signal.aborted) return;
    if (!(error instanceof ServiceRefusal)) throw error;
    process.stderr.write(`slipway: ${error.message}\n`);
    process.exitCode = 1;
  } finally {
    await dialler.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The agent as it can be run here, contained as it must be: it does what strangers' documents say. */
async function prepare(
  { url, token, agent: settings, sandbox: mode }: WorkerOptions,
  { folder, dial, stopping }: Pick<LeaseDeps, "folder" | "dial" | "stopping">,
): Promise<LeaseDeps> {
  const sandbox = await createSandbox({ mode, dataFolder: folder });
  if (sandbox.found.kind !== "bubblewrap" && !sandbox.isUncontainedOnPurpose)
    throw new ConfigError(
      "Agents cannot be contained: bubblewrap does not work here. Install it, or set SLIPWAY_SANDBOX=none.",
    );
  const agent = agentOf(settings, { sandbox, dial, environment: process.env });
  const probe = await probeWithin(agent.driver, usualProbeLimits.probeMs, stopping);
  if (!probe.isUsable) throw new ConfigError(`The agent cannot be used here: ${probe.reason}`);
  return { service: new ServiceCalls(url, token, tell), agent, sandbox, dial, folder, stopping };
}

async function work(parts: LeaseDeps, options: WorkerOptions): Promise<void> {
  const agentId = await findAgent(parts.service, options, parts.stopping);
  process.stdout.write(`Worker '${options.name}' (${agentId}) is ready for ${options.url}\n`);
  const slots = options.isOnce ? 1 : options.slots;
  const ends = await Promise.all(Array.from({ length: slots }, () => workOnTasks(parts, agentId, options)));
  if (options.isOnce && ends[0]?.is !== "done") process.exitCode = 1;
}

/** One task after the other; gives how the last one ended. */
async function workOnTasks(
  parts: LeaseDeps,
  agentId: string,
  { isOnce }: WorkerOptions,
): Promise<LeaseEnd | undefined> {
  for (;;) {
    const lease = await claim(parts, agentId);
    if (lease === undefined) return undefined;
    const what = `'${lease.task.title}' of ${lease.project_id}`;
    tell(`took ${what}`);
    const end = await workOnLease(parts, lease);
    tell(`${end.is.replace("_", " ")}: ${what}${end.is === "failed" ? `: ${end.message}` : ""}`);
    if (isOnce || parts.stopping.aborted) return end;
  }
}

/** The next task; nothing when the worker is to end. */
async function claim({ service, stopping }: LeaseDeps, agentId: string): Promise<ClaimedTask | undefined> {
  const json = { wait_seconds: maxClaimSeconds };
  while (!stopping.aborted) {
    try {
      const answer = await service.call(`/api/v1/agents/${agentId}/claim`, { method: "POST", json, signal: stopping });
      if (answer.status === 200) return (await answer.json()) as ClaimedTask;
    } catch (error) {
      if (!stopping.aborted) throw error;
    }
  }
  return undefined;
}

function tell(text: string): void {
  process.stdout.write(`${text.replace(/[\p{Cc}]+/gu, " ")}\n`);
}
