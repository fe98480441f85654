import type { Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { BatchCommit, type CommitDeps, type CommitResult } from "./batch-commit.ts";
import { whyNot } from "./commands.ts";
import type { Command, RunEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import type { NewArtifact } from "./ports.ts";
import { isPlanReviewed } from "./transitions.ts";

/** Applies one event to one run, and lists what was made with it, in the caller's transaction; the caller passes the result on after the commit. */
export async function applyEvent(
  deps: CommitDeps,
  trx: Transaction,
  projectId: string,
  event: Exclude<RunEvent, Command>,
  artifacts: readonly NewArtifact[] = [],
): Promise<CommitResult> {
  const batch = await BatchCommit.open(trx, deps, [projectId]);
  batch.apply(projectId, event);
  batch.addArtifacts(projectId, artifacts);
  return batch.save();
}

/** Replaces the plan that waits for a person's approval. */
export async function editPlan(
  deps: CommitDeps,
  trx: Transaction,
  projectId: string,
  plan: Plan,
  artifacts: readonly NewArtifact[],
): Promise<CommitResult> {
  const batch = await BatchCommit.open(trx, deps, [projectId]);
  const found = batch.find(projectId);
  if (found === undefined || !isPlanReviewed(found.state))
    throw new Refusal("conflict", "The plan can be changed only while the project waits for its approval.");
  batch.apply(projectId, { type: "plan_edited", plan });
  batch.addArtifacts(projectId, artifacts);
  return batch.save();
}

/** Carries a command out, or refuses it with the reason. */
export async function commandRun(
  deps: CommitDeps,
  trx: Transaction,
  projectId: string,
  command: Command,
): Promise<CommitResult> {
  const batch = await BatchCommit.open(trx, deps, [projectId]);
  const found = batch.find(projectId);
  if (found === undefined) throw new Refusal("not_found", "Project not found.");
  if (command.type === "restart" && found.state.status === "failed" && found.run.plan.plan.phases.length === 0) {
    batch.beginAnew(projectId);
    return batch.save();
  }
  const reason = whyNot(found.run.plan, found.state, command);
  if (reason !== undefined) throw new Refusal("conflict", reason);
  batch.apply(projectId, command);
  return batch.save();
}
