import { builtInTaskIds, type CompleteSpec, planWork, readTaskBreakdown, writeTaskBreakdown } from "@slipway/spec";
import type { Deployments } from "../../deployment/index.ts";
import { BlobError, type BlobStore } from "../../platform/blobs/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { WorkspaceError } from "../../platform/git/index.ts";
import type { Plugins } from "../../platform/plugins/index.ts";
import type { FoundSecrets } from "../../platform/secrets/index.ts";
import { checkByPlugins, collectArtifacts, runScripts, scriptsOf, writeOverrides } from "../../verification/index.ts";
import { findConflict, type Generation, type SourceDeps } from "../generation/index.ts";
import type { Attempt, AttemptContext, Head, NewArtifact, RunError, TaskOutcome } from "../lifecycle/index.ts";
import { type MaskedLog, openMasked } from "../logs/index.ts";
import type { Worktree } from "../workspaces/index.ts";
import { type AskDeps, askAgent, type WorkPlace } from "./ask-agent.ts";
import { mergeReportText, regenerateFor } from "./regenerate.ts";
import { takeUp } from "./resume-attempt.ts";

export interface TaskDeps extends AskDeps, SourceDeps {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly deployments: Deployments;
  /** The project's document, as it holds for its environment. */
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  /** The values of the document's secrets, or why they cannot be had. */
  readonly findSecrets: (document: CompleteSpec) => Promise<FoundSecrets>;
  /** Why nothing may run here, because nothing would hold it; nothing if it may. */
  readonly plugins: Pick<Plugins, "check" | "artifactTypes">;
  readonly whyUncontained: () => Promise<string | undefined>;
}

/** Carries out an attempt at a task: in a folder of its own, within its time, and judged by what it changed. */
export async function runTask(parts: TaskDeps, attempt: Attempt): Promise<void> {
  const reason = await parts.whyUncontained();
  if (reason !== undefined) {
    await attempt.finish({ is: "failed", error: { code: "sandbox_missing", message: reason }, isFinal: true });
    return;
  }
  const context = await attempt.load();
  const document = await parts.findDocument(attempt.projectId);
  const secrets = await parts.findSecrets(document);
  if ("message" in secrets) {
    await attempt.finish({ is: "failed", error: secrets, isFinal: true });
    return;
  }
  const work = new TaskWork(parts, attempt, context, document, secrets.values);
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
  readonly #parts: TaskDeps;
  readonly #attempt: Attempt;
  readonly #context: AttemptContext;
  readonly #document: CompleteSpec;
  readonly #secrets: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;
  #worktree: Worktree | undefined;
  #staysAsItIs = false;

  constructor(
    parts: TaskDeps,
    attempt: Attempt,
    context: AttemptContext,
    document: CompleteSpec,
    secrets: Readonly<Record<string, string>>,
  ) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#context = context;
    this.#document = document;
    this.#secrets = secrets;
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
    const place = await this.#findPlace();
    const report = await this.#ask(place);
    if (report.is === "failed") return this.#fail(report);
    const text = report.breakdown ?? writeTaskBreakdown(planWork(this.#document));
    const { plan, diagnostics } = readTaskBreakdown(text, this.#document);
    if (plan === undefined) {
      const problems = diagnostics.filter(({ severity }) => severity === "error");
      const told = problems.map(({ message, line }) => `line ${line}: ${message}`).join(" ");
      return this.#fail({ code: "invalid_plan", message: `The planner's tasks.yaml cannot be used: ${told}` });
    }
    const artifact = await this.#store("task_breakdown", "tasks.yaml", "application/yaml", text);
    await this.#succeed({ plan, artifacts: [artifact] }, place.base);
  }

  async #verify(): Promise<void> {
    const { sandbox, minuteMs, caches, plugins, blobs } = this.#parts;
    const { projectId } = this.#attempt;
    const conflict = await findConflict(this.#parts, projectId, this.#context.planVersion);
    if (conflict !== undefined) {
      // Whatever the scripts would say: what is marked in a text that nothing reads must not go live either.
      await this.#attempt.finish({ is: "failed", error: conflict, isFinal: true });
      return;
    }
    await this.#checkOut();
    const result = { document: this.#document, folder: this.#worktree!.path, signal: this.#signal };
    const scripts = await runScripts(sandbox, {
      ...result,
      minuteMs,
      cache: this.#document.performance.cache_dependencies ? await caches.open(projectId) : undefined,
      secrets: this.#secrets,
      openLog: (source) => this.#openLog(source),
    });
    const checks = scripts.error === undefined && (await checkByPlugins(plugins, result));
    const { log, error } = checks ? { log: scripts.log + checks.log, error: checks.error } : scripts;
    const artifacts = [await this.#store("logs", "logs/validation.log", "text/plain; charset=utf-8", log)];
    if (error !== undefined) {
      await this.#attempt.finish({ is: "failed", error, artifacts, isFinal: error.code === "plugin_failed" });
      return;
    }
    const made = await collectArtifacts(blobs, result.folder, plugins.artifactTypes(this.#document));
    if ("error" in made) await this.#attempt.finish({ is: "failed", error: made.error, artifacts });
    else await this.#attempt.finish({ is: "succeeded", artifacts: [...artifacts, ...made.artifacts] });
  }

  async #deploy(): Promise<void> {
    const { base } = await this.#checkOut();
    const end = await this.#parts.deployments.deploy({
      projectId: this.#attempt.projectId,
      document: this.#document,
      scripts: await scriptsOf(this.#document, this.#worktree!.path),
      folder: this.#worktree!.path,
      commit: base,
      signal: this.#signal,
      minuteMs: this.#parts.minuteMs,
      secrets: this.#secrets,
      openLog: (source) => this.#openLog(source),
    });
    if ("error" in end) return this.#fail(end.error);
    // What is live runs from this folder.
    this.#staysAsItIs = end.deployment.url !== "";
    await this.#attempt.finish({ is: "succeeded", deployment: end.deployment });
  }

  async #work(): Promise<void> {
    const place = await this.#findPlace();
    const report = await this.#ask(place);
    if (report.is === "failed") {
      const artifacts = await this.#keepIntermediate(place.base);
      const { code, message } = report;
      // By rule: the next attempt would end in the same way.
      const isFinal = code === "plugin_failed";
      await this.#attempt.finish({ is: "failed", error: { code, message }, artifacts, isFinal });
      return;
    }
    await writeOverrides(place.folder, this.#document.dependency_overrides ?? {});
    const made = await this.#regenerate();
    if (made !== undefined && "error" in made) return this.#fail(made.error);
    const text = made && mergeReportText(made.generation);
    const artifacts =
      text === undefined ? [] : [await this.#store("merge_report", "merge-report.json", "application/json", text)];
    await this.#succeed({ artifacts }, place.base, made?.generation);
  }

  /** With an agent that builds by rule: what people have changed in an earlier result is not lost. */
  async #regenerate() {
    const generate = this.#parts.findAgent(this.#attempt.agentId)?.driver.generate;
    if (generate === undefined) return undefined;
    return regenerateFor(this.#parts, {
      attempt: this.#attempt,
      context: this.#context,
      document: this.#document,
      generate,
      openLog: (source) => this.#openLog(source),
    });
  }

  /** What a failed attempt has made so far, where the document asks to keep that. */
  async #keepIntermediate(base: string): Promise<NewArtifact[]> {
    if (!this.#document.debug.save_intermediate_files) return [];
    const { workspaces } = this.#parts;
    const { projectId, taskId, number } = this.#attempt;
    const made = await this.#takeResult(base);
    if (made === undefined) return [];
    const patch = await workspaces.patch(projectId, base, made.commit);
    const path = `intermediate/${encodeURIComponent(taskId)}/attempt-${number}.patch`;
    return [await this.#store("intermediate_files", path, "text/x-diff", patch.toString("utf8"))];
  }

  #openLog(source: string): MaskedLog {
    const { projectId, taskId, number: attempt, agentId } = this.#attempt;
    return openMasked(
      this.#parts.logs,
      { projectId, source, taskId, attempt, agentId },
      { ...this.#document, secrets: Object.values(this.#secrets) },
    );
  }

  /** Where the agent works: a new folder, or that of an earlier process which died at this very attempt. */
  async #findPlace(): Promise<WorkPlace> {
    const { commit } = await this.#open();
    const left = await takeUp(this.#parts, this.#attempt);
    this.#worktree = left?.place?.worktree;
    const base = left?.place?.base ?? (await this.#fill(commit)).base;
    const goesOn = left && { handle: left.handle, areChangesThere: left.place !== undefined };
    return { folder: this.#worktree!.path, base, goesOn };
  }

  async #checkOut(): Promise<{ base: string }> {
    return this.#fill((await this.#open()).commit);
  }

  #open(): Promise<{ commit: string }> {
    const { head } = this.#context.state;
    return this.#parts.workspaces.open(this.#attempt.projectId, head ?? undefined, { signal: this.#signal });
  }

  async #fill(commit: string): Promise<{ base: string }> {
    const { projectId, id } = this.#attempt;
    this.#worktree = await this.#parts.workspaces.checkOut(projectId, id, commit, { signal: this.#signal });
    return { base: commit };
  }

  #ask(place: WorkPlace) {
    return askAgent(this.#parts, {
      attempt: this.#attempt,
      context: this.#context,
      document: this.#document,
      place,
      secrets: this.#secrets,
    });
  }

  /** Takes what was made, puts it on top of what others have made meanwhile, and settles; again, while others are quicker. */
  async #succeed(
    outcome: { plan?: AttemptContext["run"]["plan"]["plan"]; artifacts?: readonly NewArtifact[] },
    base: string,
    generation?: Generation,
  ) {
    const { workspaces } = this.#parts;
    const { projectId, agentId } = this.#attempt;
    const { task, run } = this.#context;
    const signal = this.#signal;
    const result = await this.#takeResult(base, generation);
    if (result === undefined) {
      // A person may have deleted all that the task makes.
      const mayBeNothing = generation?.merged != null;
      if (run.plan.phases.get(task.phase)?.kind === "work" && !mayBeNothing)
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

  /** A commit of what is in the folder, by the agent. */
  #takeResult(base: string, generation?: Generation) {
    const merged = generation?.merged;
    const { workspaces, clock, findAgent } = this.#parts;
    const { projectId, agentId } = this.#attempt;
    const { task } = this.#context;
    return workspaces.takeResult(this.#worktree!, {
      base,
      author: { name: findAgent(agentId)?.name ?? agentId, email: `${agentId}@slipway.invalid` },
      message: task.title,
      trailers: { "Slipway-Task": task.id, "Slipway-Project": projectId },
      at: clock.now(),
      ...(merged != null && { regenerated: { generated: generation!.generated.commit, merged: merged.commit } }),
      signal: this.#signal,
    });
  }

  async #store(type: string, path: string, mediaType: string, text: string): Promise<NewArtifact> {
    const { digest, size } = await this.#parts.blobs.put(Buffer.from(text), { ownerId: this.#attempt.projectId });
    return { type, path, digest, size, mediaType };
  }

  async #fail({ code, message }: RunError): Promise<void> {
    await this.#attempt.finish(failed(code, message));
  }
}

function failed(code: string, message: string): TaskOutcome {
  return { is: "failed", error: { code, message } };
}
