import { firstUnfinished } from "./advance.ts";
import type { Draft } from "./draft.ts";
import { hasEnded, type RunState } from "./state.ts";

export type WaitingFor = "approval" | "agent" | "paused" | "debug";

/** What the outside is shown of a run. */
export interface RunView {
  readonly status: RunState["status"];
  readonly currentPhase: string;
  readonly progress: number;
  readonly waitingFor: WaitingFor | null;
  readonly agents: Readonly<Record<string, string>>;
  readonly error: RunState["error"];
}

export function viewOf(draft: Pick<Draft, "plan" | "state">): RunView {
  const { state } = draft;
  return {
    status: state.status,
    currentPhase: currentPhase(draft),
    progress: state.progress,
    waitingFor: waitingFor(draft),
    agents: Object.fromEntries(Object.entries(state.roles).map(([role, { agent }]) => [role, agent])),
    error: state.error,
  };
}

/** Done work over all work, by estimated hours; 1 only when all of it is live. */
export function doneShare({ plan, state }: Pick<Draft, "plan" | "state">): number {
  if (state.status === "deployed") return 1;
  let hours = 0;
  for (const { id, estimatedHours } of plan.plan.tasks) if (state.tasks[id]?.is === "done") hours += estimatedHours;
  return hours === 0 ? 0 : Math.min(hours / plan.totalHours, 0.999);
}

export function currentPhase(draft: Pick<Draft, "plan" | "state">): string {
  const { state, plan } = draft;
  if (state.status === "specification") return "specification";
  if (state.status === "failed" && state.error?.phase) return state.error.phase;
  return firstUnfinished(draft)?.name ?? plan.plan.phases.at(-1)?.name ?? "";
}

function waitingFor({ state, plan }: Pick<Draft, "plan" | "state">): WaitingFor | null {
  if (hasEnded(state)) return null;
  if (state.isPaused) return "paused";
  const isBusy =
    Object.values(state.tasks).some(({ is }) => is === "active") ||
    Object.values(state.phases).some(({ is }) => is === "closing");
  if (isBusy || state.status === "specification") return null;
  if (Object.keys(state.vacant).length > 0) return "agent";
  if (Object.values(state.gates).some(({ is }) => is === "pending")) return "approval";
  return state.debug?.is === "stepping" && plan.plan.tasks.length > 0 ? "debug" : null;
}
