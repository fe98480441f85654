import { isReview } from "@slipway/spec";
import type { Draft } from "./draft.ts";
import { noJob } from "./state.ts";

/** A review is of one commit. Where a task has changed the result since, it is due again, and whoever is at one stops. */
export function renewReviews(draft: Draft, changedBy: string): void {
  const { state, plan, effects } = draft;
  for (const task of plan.plan.tasks) {
    if (task.id === changedBy || !isReview(task) || state.phases[task.phase]?.is !== "running") continue;
    const { is, job } = draft.taskState(task.id);
    // Whoever is being looked for begins with the result as it is then.
    if (is === "active" && job === noJob) continue;
    if (is === "active") effects.push({ type: "drop_jobs", jobs: [job] });
    draft.resetTask(task.id);
  }
}
