import { type ClaimedTask, maxClaimSeconds } from "@slipway/contract";
import { declaredAgent, defaultProbeLimits, probeWithin } from "../../agents/index.ts";
import { ConfigError } from "../../platform/errors/index.ts";
import { requireGit } from "../../platform/git/index.ts";
import { outliveOutput, takeConsole } from "../../platform/log/index.ts";
import { Dialler } from "../../platform/network/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { pause } from "../../platform/pause.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { leaveRemovals, removeFolder } from "../../platform/remove-folder.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import { builtInAgent } from "../built-in-agent.ts";
import { onLauncherGone } from "../launcher.ts";
import { claimedTask } from "./claimed-task.ts";
import { findAgent } from "./find-agent.ts";
import { type LeaseDeps, type LeaseEnd, workOnLease } from "./lease-work.ts";
import { makeOwnFolder } from "./own-folder.ts";
import { ServiceCalls, ServiceRefusal } from "./service-calls.ts";
import { readWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** Works on the tasks of a remote service until a signal ends it; with `--once`, on one task. */
export async function runWorker(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = readWorkerOptions(args, env);
  outliveOutput();
  takeConsole(print);
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stopping.abort());
  onLauncherGone(() => stopping.abort());
  await requireGit();
  const { path: folder } = await makeOwnFolder(options.folder, options.sandbox);
  const dialler = new Dialler({
    allowsLoopback: true,
    networks: ["0.0.0.0/0", "::/0"],
    connectMs: 10_000,
    readMs: 600_000,
  });
  try {
    const deps = await prepare(options, { folder, dial: dialler.fetch, stopping: stopping.signal });
    await work(deps, options);
  } catch (error) {
    if (stopping.signal.aborted) return;
    if (!(error instanceof ServiceRefusal)) throw error;
    process.stderr.write(`slipway: ${printable(error.message)}\n`);
    process.exitCode = 1;
  } finally {
    await dialler.close();
    await removeWithin(folder, maxRemovalMs);
  }
}

const maxRemovalMs = 10_000;

/** An agent may have left a million folders: a program goes on with them, and the next worker removes what is left. */
async function removeWithin(folder: string, limitMs: number): Promise<void> {
  const patience = setTimeout(leaveRemovals, limitMs);
  try {
    await removeFolder(folder);
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
  } finally {
    clearTimeout(patience);
  }
  leaveRemovals();
}

/** Opens the sandbox and probes the agent; refuses to run uncontained, because strangers' documents direct the agent. */
async function prepare(
  { url, token, agent: settings, sandbox: mode }: WorkerOptions,
  { folder, dial, stopping }: Pick<LeaseDeps, "folder" | "dial" | "stopping">,
): Promise<LeaseDeps> {
  const sandbox = await createSandbox({ mode, dataFolder: folder });
  if (sandbox.found.kind !== "bubblewrap" && !sandbox.isUncontainedOnPurpose)
    throw new ConfigError(
      "Agents cannot be contained: bubblewrap does not work here. Install it, or set SLIPWAY_SANDBOX=none.",
    );
  const agent = declaredAgent(settings, { sandbox, dial, environment: process.env, blueprint: builtInAgent });
  const probe = await probeWithin(agent, defaultProbeLimits.probeMs, stopping);
  if (!probe.isUsable) throw new ConfigError(`The agent cannot be used here: ${probe.reason}`);
  return { service: new ServiceCalls(url, token, print), agent, sandbox, dial, folder, stopping };
}

async function work(deps: LeaseDeps, options: WorkerOptions): Promise<void> {
  const capabilities = options.capabilities.length > 0 ? options.capabilities : deps.agent.capabilities;
  const agentId = await findAgent(deps.service, { ...options, capabilities }, deps.stopping);
  process.stdout.write(`Worker '${options.name}' (${agentId}) is ready for ${options.url}\n`);
  const slots = options.isOnce ? 1 : options.slots;
  const ends = await Promise.all(Array.from({ length: slots }, () => workOnTasks(deps, agentId, options)));
  if (options.isOnce && ends[0]?.is !== "done") process.exitCode = 1;
}

/** Works on one task after the other; returns how the last one ended. */
async function workOnTasks(deps: LeaseDeps, agentId: string, { isOnce }: WorkerOptions): Promise<LeaseEnd | undefined> {
  for (;;) {
    const lease = await claim(deps, agentId);
    if (lease === undefined) return undefined;
    const what = `'${lease.task.title}' of ${lease.project_id}`;
    print(`took ${what}`);
    const end = await workOnLease(deps, lease);
    print(`${end.is.replace("_", " ")}: ${what}${end.is === "failed" ? `: ${end.message}` : ""}`);
    if (isOnce || deps.stopping.aborted) return end;
  }
}

/** How often to ask a service that does not wait for a task itself. */
const askAgainMs = 1_000;

/** The next task; undefined when the worker must end. */
async function claim({ service, stopping }: LeaseDeps, agentId: string): Promise<ClaimedTask | undefined> {
  const json = { wait_seconds: maxClaimSeconds };
  while (!stopping.aborted) {
    const askedAtMs = performance.now();
    try {
      const path = `/api/v1/agents/${agentId}/claim`;
      const options = { method: "POST", json, signal: stopping } as const;
      const task = await service.askForAny<ClaimedTask>(claimedTask, path, options);
      if (task !== undefined) return task;
      await pause(Math.max(0, askAgainMs - (performance.now() - askedAtMs)), stopping);
    } catch (error) {
      if (!stopping.aborted) throw error;
    }
  }
  return undefined;
}

function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

const maxPrinted = 2_000;

/** Titles and failures are written by strangers: nothing in them may move the cursor or turn the direction of the text. */
function printable(text: string): string {
  return oneLine(text, maxPrinted).replace(/[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g, "\ufffd");
}
