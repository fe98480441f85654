import {
  type AgentReport,
  loggedFetch,
  promptFor,
  type RunnableAgent,
  type RunRecords,
  sandboxedHost,
  supervise,
} from "../../agents/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { ProjectLogs } from "../logs/index.ts";
import { lendCache, type PackageCaches } from "../workspaces/index.ts";
import { describeLimits, limitsOf, processLimits } from "./agent-limits.ts";
import type { AgentPermissions } from "./agent-permissions.ts";
import { lackOfSpace } from "./lack-of-space.ts";
import { runIdOf } from "./resume-attempt.ts";
import type { StepInput } from "./step-input.ts";
import type { WorkFolder } from "./task-workspace.ts";

/** How long people have to answer an agent, unless the operator sets another time. */
const defaultPermissionMinutes = 10;

export interface AskDeps {
  /** How to run an agent, and what it is called; undefined if this node does not know it. */
  readonly findAgent: (agentId: string) => RunnableAgent | undefined;
  readonly sandbox: Sandbox;
  readonly logs: ProjectLogs;
  /** Fetches from addresses that the operator allows. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** Why the attempt before this one failed. */
  readonly findLastError: (projectId: string, taskId: string) => Promise<string | undefined>;
  /** Records what agents are given and use. */
  readonly records: RunRecords;
  readonly permissions: AgentPermissions;
  readonly caches: PackageCaches;
  /** How long a minute of a document's limits is; tests shorten it. */
  readonly minuteMs: number;
}

/** What an agent is asked to do, and in which folder. */
type AgentTask = Pick<StepInput, "attempt" | "context" | "document" | "secrets"> & {
  readonly folder: WorkFolder;
  /** Files that probably have to change. */
  readonly files?: readonly string[];
  /** Only reads: its programs get no secrets of the document. */
  readonly isReader?: boolean;
};

/** Lets the agent of an attempt do its task within all limits, and records the run. */
export async function askAgent(deps: AskDeps, asked: AgentTask): Promise<AgentReport> {
  const { attempt, context, document } = asked;
  const { projectId, agentId, number, id, taskId } = attempt;
  const { path: folder, base, resumed } = asked.folder;
  const agent = deps.findAgent(agentId);
  if (agent === undefined) {
    return { is: "failed", code: "agent_unknown", message: `The agent ${agentId} is not known on this node.` };
  }
  const prompt = await writePrompt(deps, asked);
  const limits = limitsOf(agent, document, deps.minuteMs);
  const inSandbox = processLimits(document, limits.idleMs);
  const network = agent.network ?? "none";
  const secrets = [...(agent.secrets?.() ?? []), ...Object.values(asked.secrets)];
  const masker = new Masker(secrets);
  const log = deps.logs.open({ projectId, source: "agent", taskId, attempt: number, agentId });
  const record = await deps.records.open({
    projectId,
    taskId,
    number,
    agentId,
    attemptId: id,
    baseCommit: base,
    prompt: await masker.maskInSlices(prompt),
    limits: describeLimits(limits, inSandbox, network),
    handle: resumed?.handle,
  });
  const { outcome, progress } = await lendCache(deps.caches, projectId, document, (cache) =>
    supervise({
      driver: agent.driver,
      work: { projectId, agentId, attempt: number, task: context.task, document, prompt, folder },
      limits,
      secrets,
      log,
      signal: attempt.signal,
      handle: resumed?.handle,
      onProgress: (latest) => record.note(latest),
      decide: (question, { signal, leftMs }) => mayDo(deps, asked, agent, question.title, leftMs, signal),
      makeHost: (signal, isHeldUp) =>
        sandboxedHost(
          {
            sandbox: deps.sandbox,
            runId: runIdOf(projectId, id),
            folder,
            network,
            readable: agent.readable,
            limits: inSandbox,
            cache,
            env: asked.isReader === true ? {} : asked.secrets,
            fetch: document.debug.log_api_calls
              ? loggedFetch(deps.dial, (line) => log.write(masker.mask(line)))
              : deps.dial,
            saveHandle: (handle) => record.saveHandle(handle),
            secrets,
            isHeldUp,
          },
          signal,
        ),
    }),
  );
  await record.end(progress, outcome.is);
  attempt.signal.throwIfAborted();
  if (outcome.is === "completed")
    return { is: "done", ...(outcome.breakdown !== undefined && { breakdown: outcome.breakdown }) };
  if (outcome.is === "cancelled") return { is: "failed", code: "agent_cancelled", message: "The agent was stopped." };
  const { code, message } = outcome.error;
  const fullDisk = await lackOfSpace(folder, message, "the agent could not do its work");
  return { is: "failed", ...(fullDisk ?? { code, message }) };
}

/** Whether an agent may do what it asks for: as the operator's policy says, or the people whom it asks. */
async function mayDo(
  { permissions, minuteMs }: AskDeps,
  { attempt: { projectId, taskId, agentId }, context: { task, run } }: AgentTask,
  agent: RunnableAgent,
  question: string,
  leftMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  // Allowing is safe: the sandbox prevents what the agent must not do.
  const policy = agent.permissions ?? "allow";
  if (policy !== "ask") return policy === "allow";
  const minutes = agent.limits?.permissionMinutes ?? defaultPermissionMinutes;
  const waitMs = Math.min(minutes * minuteMs, leftMs);
  const { environment } = run.rules;
  return permissions.ask({ projectId, taskId, agentId, phase: task.phase, environment, question, waitMs }, signal);
}

async function writePrompt({ findLastError }: AskDeps, { attempt, context, document, folder, files }: AgentTask) {
  const { projectId, taskId, number } = attempt;
  const { task, run } = context;
  const lastError = number > 1 ? await findLastError(projectId, taskId) : undefined;
  const { resumed } = folder;
  const interrupted = resumed && (resumed.areChangesThere ? "changes kept" : "changes gone");
  return promptFor({ document, task, plan: run.plan.plan, attempt: number, lastError, files, interrupted });
}
