import type { Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { BatchCommit, type CommitDeps, type CommitResult } from "./batch-commit.ts";
import { whyNot } from "./commands.ts";
import type { Command, RunEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import type { NewArtifact } from "./ports.ts";
import { isPlanReviewed } from "./transitions.ts";

/** Tells one run something, in the caller's transaction; its result is for after the commit. */
export async function applyEvent(
  parts: CommitDeps,
  trx: Transaction,
  projectId: string,
  event: Exclude<RunEvent, Command>,
): Promise<CommitResult> {
  const turn = await BatchCommit.open(trx, parts, [projectId]);
  turn.tell(projectId, event);
  return turn.save();
}

/** Puts another plan in the place of the one that a person is to approve. */
export async function editPlan(
  parts: CommitDeps,
  trx: Transaction,
  projectId: string,
  plan: Plan,
  artifacts: readonly NewArtifact[],
): Promise<CommitResult> {
  const turn = await BatchCommit.open(trx, parts, [projectId]);
  const found = turn.find(projectId);
  if (found === undefined || !isPlanReviewed(found.state))
    throw new Refusal("conflict", "The plan can be changed only while the project waits for its approval.");
  turn.tell(projectId, { type: "plan_edited", plan });
  turn.addArtifacts(projectId, artifacts);
  return turn.save();
}

/** Has a command carried out, or refuses with the reason why it is not possible now. */
export async function commandRun(
  parts: CommitDeps,
  trx: Transaction,
  projectId: string,
  command: Command,
): Promise<CommitResult> {
  const turn = await BatchCommit.open(trx, parts, [projectId]);
  const found = turn.find(projectId);
  if (found === undefined) throw new Refusal("not_found", "There is no such project.");
  if (command.type === "restart" && found.state.status === "failed" && found.run.plan.plan.phases.length === 0) {
    turn.beginAnew(projectId);
    return turn.save();
  }
  const reason = whyNot(found.run.plan, found.state, command);
  if (reason !== undefined) throw new Refusal("conflict", reason);
  turn.tell(projectId, command);
  return turn.save();
}
