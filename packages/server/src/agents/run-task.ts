import { builtInTaskIds, type CompleteSpec, planWork, readTaskBreakdown, writeTaskBreakdown } from "@slipway/spec";
import { BlobError, type BlobStore } from "../artifacts/index.ts";
import type { Clock } from "../clock.ts";
import type { Deployments } from "../deployment/index.ts";
import type { Attempt, AttemptContext, Head, NewArtifact, RunError, TaskOutcome } from "../lifecycle/index.ts";
import type { LogBook } from "../logs/index.ts";
import type { CageLimits, Sandbox } from "../sandbox/index.ts";
import { runScripts } from "../verification/index.ts";
import { WorkspaceError, type Workspaces, type Worktree } from "../workspace/index.ts";
import type { AgentHere } from "./agent-here.ts";
import type { AgentReport } from "./agent-run.ts";
import { cagedHost } from "./caged-host.ts";
import { promptFor } from "./prompt.ts";
import { supervise } from "./supervisor.ts";

export interface TaskParts {
  readonly workspaces: Workspaces;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly deployments: Deployments;
  /** The project's document, as it holds for its environment. */
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  /** How to run an agent, and what it is called; nothing if it is not known here. */
  readonly findAgent: (agentId: string) => AgentHere | undefined;
  readonly sandbox: Sandbox;
  /** Why nothing may run here, because nothing would hold it; nothing if it may. */
  readonly whyUncontained: () => Promise<string | undefined>;
  readonly logs: LogBook;
  /** Goes to addresses as far as the operator allows it. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** Why the attempt before this one failed. */
  readonly findLastError: (projectId: string, taskId: string) => Promise<string | undefined>;
  /** How long a minute of a document's limits is. */
  readonly minuteMs: number;
}

/** Carries out an attempt at a task: in a folder of its own, within its time, and judged by what it changed. */
export async function runTask(parts: TaskParts, attempt: Attempt): Promise<void> {
  const reason = await parts.whyUncontained();
  if (reason !== undefined) {
    await attempt.finish({ is: "failed", error: { code: "sandbox_missing", message: reason }, isFinal: true });
    return;
  }
  const context = await attempt.load();
  const document = await parts.findDocument(attempt.projectId);
  const work = new TaskWork(parts, attempt, context, document);
  try {
    await work.carryOut();
  } catch (error) {
    if (attempt.signal.aborted) return;
    if (error instanceof WorkspaceError || error instanceof BlobError)
      await attempt.finish(failed(error.code, error.message));
    else throw error;
  } finally {
    await work.cleanUp();
  }
}

class TaskWork {
  readonly #parts: TaskParts;
  readonly #attempt: Attempt;
  readonly #context: AttemptContext;
  readonly #document: CompleteSpec;
  readonly #signal: AbortSignal;
  #worktree: Worktree | undefined;
  #staysAsItIs = false;

  constructor(parts: TaskParts, attempt: Attempt, context: AttemptContext, document: CompleteSpec) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#context = context;
    this.#document = document;
    this.#signal = attempt.signal;
  }

  async carryOut(): Promise<void> {
    const { task, run } = this.#context;
    const kind = builtInTaskIds.includes(task.id) ? run.plan.phases.get(task.phase)?.kind : "work";
    switch (kind) {
      case "planning":
        return this.#plan();
      case "validation":
        return this.#verify();
      case "deployment":
        return this.#deploy();
      default:
        return this.#work();
    }
  }

  async cleanUp(): Promise<void> {
    if (this.#worktree !== undefined && !this.#staysAsItIs) await this.#parts.workspaces.release(this.#worktree);
  }

  async #plan(): Promise<void> {
    const { base } = await this.#checkOut();
    const report = await this.#askAgent();
    if (report.is === "failed") return this.#fail(report);
    const text = report.breakdown ?? writeTaskBreakdown(planWork(this.#document));
    const { plan, diagnostics } = readTaskBreakdown(text, this.#document);
    if (plan === undefined) {
      const problems = diagnostics.filter(({ severity }) => severity === "error");
      const told = problems.map(({ message, line }) => `line ${line}: ${message}`).join(" ");
      return this.#fail({ code: "invalid_plan", message: `The planner's tasks.yaml cannot be used: ${told}` });
    }
    const artifact = await this.#store("task_breakdown", "tasks.yaml", "application/yaml", text);
    await this.#succeed({ plan, artifacts: [artifact] }, base);
  }

  async #verify(): Promise<void> {
    await this.#checkOut();
    const { log, error } = await runScripts(this.#parts.sandbox, {
      document: this.#document,
      folder: this.#worktree!.path,
      signal: this.#signal,
      minuteMs: this.#parts.minuteMs,
    });
    const artifacts = [await this.#store("logs", "logs/validation.log", "text/plain; charset=utf-8", log)];
    if (error !== undefined) await this.#attempt.finish({ is: "failed", error, artifacts });
    else await this.#attempt.finish({ is: "succeeded", artifacts });
  }

  async #deploy(): Promise<void> {
    const { base } = await this.#checkOut();
    const end = await this.#parts.deployments.deploy({
      projectId: this.#attempt.projectId,
      document: this.#document,
      folder: this.#worktree!.path,
      commit: base,
      signal: this.#signal,
      minuteMs: this.#parts.minuteMs,
    });
    if ("error" in end) return this.#fail(end.error);
    // What is live runs from this folder.
    this.#staysAsItIs = end.deployment.url !== "";
    await this.#attempt.finish({ is: "succeeded", deployment: end.deployment });
  }

  async #work(): Promise<void> {
    const { base } = await this.#checkOut();
    const report = await this.#askAgent();
    if (report.is === "failed") return this.#fail(report);
    await this.#succeed({}, base);
  }

  async #checkOut(): Promise<{ base: string }> {
    const { workspaces } = this.#parts;
    const { projectId, id } = this.#attempt;
    const signal = this.#signal;
    const { commit } = await workspaces.open(projectId, this.#context.state.head ?? undefined, { signal });
    this.#worktree = await workspaces.checkOut(projectId, id, commit, { signal });
    return { base: commit };
  }

  async #askAgent(): Promise<AgentReport> {
    const { projectId, agentId, number, id, taskId } = this.#attempt;
    const { sandbox, logs, dial, findLastError, minuteMs } = this.#parts;
    const { task, run } = this.#context;
    const agent = this.#parts.findAgent(agentId);
    if (agent === undefined) {
      return { is: "failed", code: "agent_unknown", message: `The agent ${agentId} is not known on this node.` };
    }
    const document = this.#document;
    const folder = this.#worktree!.path;
    const lastError = number > 1 ? await findLastError(projectId, taskId) : undefined;
    const prompt = promptFor({ document, task, plan: run.plan.plan, attempt: number, lastError });
    const { idleMinutes, tokens, costUsd } = agent.limits ?? {};
    const idleMs = idleMinutes === undefined ? undefined : idleMinutes * minuteMs;
    const { outcome } = await supervise({
      driver: agent.driver,
      work: { projectId, agentId, attempt: number, task, document, prompt, folder },
      limits: {
        minutes: document.timeouts.implementation_minutes,
        minuteMs,
        idleMs,
        mostTokens: tokens,
        mostCostUsd: costUsd,
      },
      secrets: agent.secrets?.() ?? [],
      log: logs.open({ projectId, source: "agent", taskId, attempt: number, agentId }),
      signal: this.#attempt.signal,
      handle: undefined,
      // Nobody is asked yet: an agent works in a sandbox, and what it may not do it cannot.
      decide: async () => true,
      makeHost: (signal) =>
        cagedHost(
          {
            sandbox,
            runId: `${projectId}-${id}`,
            agentId,
            folder,
            network: agent.network ?? "none",
            limits: cageLimits(document, idleMs),
            fetch: dial,
            keepHandle: async () => undefined,
          },
          signal,
        ),
    });
    this.#signal.throwIfAborted();
    if (outcome.is === "completed")
      return { is: "done", ...(outcome.breakdown !== undefined && { breakdown: outcome.breakdown }) };
    if (outcome.is === "cancelled") return { is: "failed", code: "agent_cancelled", message: "The agent was stopped." };
    return { is: "failed", code: outcome.error.code, message: outcome.error.message };
  }

  /** Takes what was made, puts it on top of what others have made meanwhile, and settles; again, while others are quicker. */
  async #succeed(
    outcome: { plan?: AttemptContext["run"]["plan"]["plan"]; artifacts?: readonly NewArtifact[] },
    base: string,
  ) {
    const { workspaces, clock } = this.#parts;
    const { projectId, agentId } = this.#attempt;
    const { task, run } = this.#context;
    const signal = this.#signal;
    const author = { name: this.#parts.findAgent(agentId)?.name ?? agentId, email: `${agentId}@slipway.invalid` };
    const trailers = { "Slipway-Task": task.id, "Slipway-Project": projectId };
    const result = await workspaces.takeResult(this.#worktree!, {
      base,
      author,
      message: task.title,
      trailers,
      at: clock.now(),
      signal,
    });
    if (result === undefined) {
      if (run.plan.phases.get(task.phase)?.kind === "work")
        return this.#fail({
          code: "nothing_changed",
          message: `The agent ${agentId} said it was done, but changed nothing.`,
        });
      await this.#attempt.finish({ is: "succeeded", ...outcome });
      return;
    }
    for (;;) {
      const { state } = await this.#attempt.load();
      const { commit: head } = await workspaces.open(projectId, state.head ?? undefined, { signal });
      const merged = await workspaces.merge(projectId, { base, mine: result.commit, head, signal });
      if ("conflicts" in merged) {
        const paths = merged.conflicts.slice(0, 10).join(", ");
        return this.#fail({
          code: "merge_conflict",
          message: `Others have changed the same places meanwhile: ${paths}.`,
        });
      }
      const saved: Head = {
        commit: merged.commit,
        bundle: await workspaces.save(projectId, merged.commit, { signal }),
      };
      const verdict = await this.#attempt.finish({
        is: "succeeded",
        ...outcome,
        head: saved,
        base: state.head?.commit ?? null,
      });
      if (verdict !== "stale") return;
    }
  }

  async #store(type: string, path: string, mediaType: string, text: string): Promise<NewArtifact> {
    const { digest, size } = await this.#parts.blobs.put(Buffer.from(text));
    return { type, path, digest, size, mediaType };
  }

  async #fail({ code, message }: RunError): Promise<void> {
    await this.#attempt.finish(failed(code, message));
  }
}

/** What the document lets an agent use, and what no agent needs more of. */
function cageLimits({ resources }: CompleteSpec, idleMs: number | undefined): CageLimits {
  return {
    memoryBytes: resources.memory_gb * 1024 ** 3,
    cpuCores: resources.cpu_cores,
    processes: 512,
    diskBytes: 4 * 1024 ** 3,
    outputBytes: 256 * 1024 ** 2,
    ...(idleMs !== undefined && { idleMs }),
  };
}

function failed(code: string, message: string): TaskOutcome {
  return { is: "failed", error: { code, message } };
}
