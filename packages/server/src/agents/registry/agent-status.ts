import type { AgentStatusReport } from "@slipway/contract";

/** What the database knows of what an agent is at. */
export interface AgentActivity {
  readonly id: string;
  /** Of all nodes that were heard of lately and can use it. */
  readonly slots: number;
  /** Why it cannot be used, from one of these nodes. */
  readonly problem: string | null;
  readonly version: string | null;
  /** It takes nothing new. */
  readonly isDraining: boolean;
  /** What it is at, the latest first. */
  readonly running: readonly { readonly projectId: string; readonly taskId: string; readonly startedAt: Date }[];
  /** Seconds of work in the last hour, of all its slots. */
  readonly busySeconds: number;
  readonly lastEndedAt: Date | null;
}

/** The activity as far as the queue is not needed to know it. */
export type PastActivity = Omit<AgentActivity, "running">;

const hourSeconds = 3_600;

/** An agent as the API shows it, to somebody who may read these projects. */
export function showStatus(activity: AgentActivity, mayRead: (projectId: string) => boolean): AgentStatusReport {
  const shown = activity.running.find(({ projectId }) => mayRead(projectId));
  const lastStartedAt = activity.running[0]?.startedAt ?? null;
  const last = [lastStartedAt, activity.lastEndedAt].filter((at) => at !== null).toSorted((a, b) => +b - +a)[0];
  const slots = Math.max(1, activity.slots);
  return {
    agent_id: activity.id,
    status: statusOf(activity),
    current_project: shown?.projectId ?? null,
    current_task: shown?.taskId ?? null,
    utilization: Math.min(1, activity.busySeconds / hourSeconds / slots),
    last_activity: last?.toISOString() ?? null,
  };
}

function statusOf({ slots, problem, isDraining, running }: AgentActivity): AgentStatusReport["status"] {
  if (slots === 0 && problem === null) return "offline";
  if (isDraining) return "draining";
  if (slots === 0) return "error";
  return running.length > 0 ? "busy" : "idle";
}
