import type { CompleteSpec } from "@slipway/spec";
import {
  type AgentHere,
  type AgentLimits,
  type AgentReport,
  loggedCalls,
  promptFor,
  type RunRecords,
  sandboxedHost,
  supervise,
} from "../../agents/index.ts";
import type { ProcessLimits, Sandbox } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { Attempt, AttemptContext } from "../lifecycle/index.ts";
import type { ProjectLogs } from "../logs/index.ts";
import type { PackageCaches } from "../workspaces/index.ts";

/** How long people have to answer an agent, where the operator does not say. */
const usualPermissionMinutes = 10;

/** What an agent asks people while it works. */
export interface PermissionQuestion {
  readonly projectId: string;
  readonly taskId: string;
  readonly agentId: string;
  readonly phase: string;
  readonly environment: string;
  readonly question: string;
  /** How long people have to decide. */
  readonly waitMs: number;
}

/** Where agents ask people whether they may do something. */
export interface AgentPermissions {
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<boolean>;
  /** Nobody waits any more for what was asked at a task. */
  withdraw(projectId: string, taskId: string): Promise<void>;
}

export interface AskDeps {
  /** How to run an agent, and what it is called; nothing if it is not known here. */
  readonly findAgent: (agentId: string) => AgentHere | undefined;
  readonly sandbox: Sandbox;
  readonly logs: ProjectLogs;
  /** Goes to addresses as far as the operator allows it. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** Why the attempt before this one failed. */
  readonly findLastError: (projectId: string, taskId: string) => Promise<string | undefined>;
  /** Where it is kept what agents are given and use. */
  readonly records: RunRecords;
  /** Where people are asked. */
  readonly permissions: AgentPermissions;
  /** Where projects keep the packages that their programs need. */
  readonly caches: PackageCaches;
  /** How long a minute of a document's limits is. */
  readonly minuteMs: number;
}

/** What an agent is asked to do, and where. */
export interface Asked {
  readonly attempt: Attempt;
  readonly context: AttemptContext;
  readonly document: CompleteSpec;
  readonly place: WorkPlace;
  /** The document's own, by name: its programs find them in their environment. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A folder for an agent, filled for it or taken over from an earlier process that died. */
export interface WorkPlace {
  readonly folder: string;
  /** The commit that it was filled from. */
  readonly base: string;
  /** By what the agent goes on, if it had begun already, and whether its changes are still there. */
  readonly goesOn: { readonly handle: string; readonly areChangesThere: boolean } | undefined;
}

/** Lets the agent of an attempt do its task, within all limits, and keeps a record of it. */
export async function askAgent(parts: AskDeps, asked: Asked): Promise<AgentReport> {
  const { attempt, context, document, place } = asked;
  const { projectId, agentId, number, id, taskId } = attempt;
  const { task } = context;
  const { folder, base, goesOn } = place;
  const agent = parts.findAgent(agentId);
  if (agent === undefined) {
    return { is: "failed", code: "agent_unknown", message: `The agent ${agentId} is not known on this node.` };
  }
  const prompt = await writePrompt(parts, asked);
  const limits = limitsOf(agent, document, parts.minuteMs);
  const inSandbox = processLimits(document, limits.idleMs);
  const network = agent.network ?? "none";
  const secrets = [...(agent.secrets?.() ?? []), ...Object.values(asked.secrets)];
  const cache = document.performance.cache_dependencies ? await parts.caches.open(projectId) : undefined;
  const log = parts.logs.open({ projectId, source: "agent", taskId, attempt: number, agentId });
  const book = await parts.records.open({
    projectId,
    taskId,
    number,
    agentId,
    attemptId: id,
    baseCommit: base,
    prompt: new Masker(secrets).mask(prompt),
    limits: showLimits(limits, inSandbox, network),
    handle: goesOn?.handle,
  });
  const { outcome, progress } = await supervise({
    driver: agent.driver,
    work: { projectId, agentId, attempt: number, task, document, prompt, folder },
    limits,
    secrets,
    log,
    signal: attempt.signal,
    handle: goesOn?.handle,
    onProgress: (latest) => book.note(latest),
    decide: (question, { signal, leftMs }) => answer(parts, asked, agent, question.title, leftMs, signal),
    makeHost: (signal, isHeldUp) =>
      sandboxedHost(
        {
          sandbox: parts.sandbox,
          runId: runIdOf(projectId, id),
          agentId,
          folder,
          network,
          limits: inSandbox,
          cache,
          env: asked.secrets,
          fetch: document.debug.log_api_calls ? loggedCalls(parts.dial, (line) => log.write(line)) : parts.dial,
          keepHandle: (handle) => book.keepHandle(handle),
          isHeldUp,
        },
        signal,
      ),
  });
  await book.end(progress, outcome.is);
  attempt.signal.throwIfAborted();
  if (outcome.is === "completed")
    return { is: "done", ...(outcome.breakdown !== undefined && { breakdown: outcome.breakdown }) };
  if (outcome.is === "cancelled") return { is: "failed", code: "agent_cancelled", message: "The agent was stopped." };
  return { is: "failed", code: outcome.error.code, message: outcome.error.message };
}

/** Whether an agent may do what it asks for: as the operator says, or whoever is asked. */
async function answer(
  { permissions, minuteMs }: AskDeps,
  { attempt: { projectId, taskId, agentId }, context: { task, run } }: Asked,
  agent: AgentHere,
  question: string,
  leftMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  // What it may not do in its sandbox it cannot.
  const policy = agent.permissions ?? "allow";
  if (policy !== "ask") return policy === "allow";
  const minutes = agent.limits?.permissionMinutes ?? usualPermissionMinutes;
  const waitMs = Math.min(minutes * minuteMs, leftMs);
  const { environment } = run.rules;
  return permissions.ask({ projectId, taskId, agentId, phase: task.phase, environment, question, waitMs }, signal);
}

/** What the runs of an attempt's programs are called in the sandbox; each has a number behind it. */
export function runIdOf(projectId: string, attemptId: string): string {
  return `${projectId}-${attemptId}`;
}

async function writePrompt({ findLastError }: AskDeps, { attempt, context, document, place }: Asked) {
  const { projectId, taskId, number } = attempt;
  const { task, run } = context;
  const lastError = number > 1 ? await findLastError(projectId, taskId) : undefined;
  const { goesOn } = place;
  const interrupted = goesOn && (goesOn.areChangesThere ? "changes kept" : "changes gone");
  return promptFor({ document, task, plan: run.plan.plan, attempt: number, lastError, interrupted });
}

export function limitsOf(agent: AgentHere, document: CompleteSpec, minuteMs: number): AgentLimits {
  const { idleMinutes, tokens, costUsd } = agent.limits ?? {};
  return {
    minutes: document.timeouts.implementation_minutes,
    minuteMs,
    idleMs: idleMinutes === undefined ? undefined : idleMinutes * minuteMs,
    maxTokens: tokens,
    maxCostUsd: costUsd,
  };
}

/** What the document lets an agent use, and what no agent needs more of. */
export function processLimits({ resources }: CompleteSpec, idleMs: number | undefined): ProcessLimits {
  return {
    memoryBytes: resources.memory_gb * 1024 ** 3,
    cpuCores: resources.cpu_cores,
    processes: 512,
    diskBytes: 4 * 1024 ** 3,
    outputBytes: 256 * 1024 ** 2,
    ...(idleMs !== undefined && { idleMs }),
  };
}

/** The limits as people are shown them; null: there is none. */
function showLimits(
  { minutes, minuteMs, idleMs, maxTokens, maxCostUsd }: AgentLimits,
  sandbox: ProcessLimits,
  network: string,
) {
  return {
    minutes,
    idle_minutes: idleMs === undefined ? null : idleMs / minuteMs,
    tokens: maxTokens ?? null,
    cost_usd: maxCostUsd ?? null,
    memory_bytes: sandbox.memoryBytes,
    cpu_cores: sandbox.cpuCores,
    processes: sandbox.processes,
    disk_bytes: sandbox.diskBytes,
    network,
  };
}
