import { type PlannedTask, restRole } from "@slipway/spec";
import type { RunnableAgent } from "../../agents/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { oneLine } from "../../platform/one-line.ts";
import type { Generation } from "../generation/index.ts";
import { type AttemptContext, type Head, isRepair, type NewArtifact, type RunError } from "../lifecycle/index.ts";
import type { TakeOptions, Workspaces } from "../workspaces/index.ts";
import { secretsToKeep } from "./secrets-to-keep.ts";
import type { StepInput } from "./step-input.ts";

export interface SettleDeps {
  readonly workspaces: Workspaces;
  readonly clock: Clock;
  readonly findAgent: (agentId: string) => RunnableAgent | undefined;
}

/** What an agent has done, ready to become part of the project. */
interface AgentResult {
  /** The commit that the agent's folder was filled from. */
  readonly base: string;
  readonly artifacts: readonly NewArtifact[];
  /** A planner's plan. */
  readonly plan?: AttemptContext["run"]["plan"]["plan"];
  /** What the task is part of, where its agent builds by rule. */
  readonly generation?: Generation | undefined;
}

/** Commits an agent's result, merges it onto the project's head and settles the attempt. */
export async function settleResult(
  deps: SettleDeps,
  input: StepInput,
  { base, generation, ...outcome }: AgentResult,
): Promise<void> {
  const { attempt } = input;
  const result = await commitByAgent(deps, input, base, generation);
  if (result === undefined) {
    if (isRepair(input.context.task.id))
      await attempt.finish({ is: "failed", error: nothingChanged(input), isFinal: true });
    else if (mustChangeSomething(input, generation))
      await attempt.finish({ is: "failed", error: nothingChanged(input) });
    else await attempt.finish({ is: "succeeded", ...outcome });
    return;
  }
  if (isValidated(input)) {
    await attempt.finish({ is: "failed", error: changedTooLate(input), isFinal: true });
    return;
  }
  // Other tasks may move the head between the merge and the commit of its outcome: then it is stale, and merged again.
  for (;;) {
    const { state } = await attempt.load();
    const merged = await mergeOntoHead(deps, input, { base, mine: result.commit, onto: state.head });
    if ("error" in merged) {
      await attempt.finish({ is: "failed", error: merged.error });
      return;
    }
    const settled = { ...outcome, head: merged.head, base: state.head?.commit ?? null };
    if ((await attempt.finish({ is: "succeeded", ...settled })) !== "stale") return;
  }
}

/** Commits what is in the attempt's folder, in the agent's name; undefined if nothing changed. */
export function commitByAgent(
  { clock, findAgent }: SettleDeps,
  { attempt: { projectId, agentId }, context, workspace, allSecrets }: StepInput,
  base: string,
  generation?: Generation,
) {
  const agent = findAgent(agentId);
  return workspace.commitResult({
    base,
    author: { name: agent?.name ?? agentId, email: `${agentId}@slipway.invalid` },
    message: context.task.title,
    trailers: { "Slipway-Task": context.task.id, "Slipway-Project": projectId },
    at: clock.now(),
    secrets: secretsToKeep(agent, allSecrets),
    ...(generation !== undefined && { regenerated: regeneratedOf(generation, context, base) }),
  });
}

/** What generated files become: with a person's changes, and with those of who has finished a part of this very run. */
function regeneratedOf(
  { generated, merged }: Generation,
  { run, state }: AttemptContext,
  base: string,
): TakeOptions["regenerated"] {
  const isFinished = ({ id, role }: PlannedTask) => role === restRole && state.tasks[id]?.is === "done";
  const finishedIn = run.plan.plan.tasks.some(isFinished) ? base : undefined;
  return { generated: generated.commit, merged: (merged ?? generated).commit, finishedIn };
}

async function mergeOntoHead(
  { workspaces }: SettleDeps,
  { attempt: { projectId, signal } }: StepInput,
  { base, mine, onto }: { base: string; mine: string; onto: Head | null },
): Promise<{ readonly head: Head } | { readonly error: RunError }> {
  const { commit: head } = await workspaces.open(projectId, onto ?? undefined, { signal });
  const merged = await workspaces.merge(projectId, { base, mine, head, signal });
  if ("conflicts" in merged) {
    const paths = merged.conflicts
      .slice(0, 10)
      .map((path) => oneLine(path, 200))
      .join(", ");
    const message = `Others have changed the same places meanwhile: ${paths}.`;
    return { error: { code: "merge_conflict", message } };
  }
  const { commit } = merged;
  return { head: { commit, bundle: await workspaces.save(projectId, commit, { signal }) } };
}

function mustChangeSomething({ context: { task, run } }: StepInput, generation: Generation | undefined): boolean {
  // A person may have deleted all that the task generates; and an earlier run may have finished what is left.
  const mayBeNothing = generation?.merged != null || task.role === restRole;
  return run.plan.phases.get(task.phase)?.kind === "work" && !mayBeNothing;
}

/** Whether the result goes live as it is: it was validated, reviewed and approved. */
function isValidated({ context: { task, run } }: StepInput): boolean {
  return run.plan.phases.get(task.phase)?.kind === "deployment";
}

function changedTooLate({ context: { task } }: StepInput): RunError {
  const message = `The task '${oneLine(task.title, 200)}' changed files after the validation. What goes live is what was validated: such a task belongs to an earlier phase.`;
  return { code: "changed_too_late", message };
}

function nothingChanged({ attempt: { agentId } }: StepInput): RunError {
  return { code: "nothing_changed", message: `The agent ${agentId} said it was done, but changed nothing.` };
}
