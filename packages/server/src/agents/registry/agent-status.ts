import type { AgentStatusReport } from "@slipway/contract";

/** What the database knows of an agent's work. */
export interface AgentActivity {
  readonly id: string;
  /** The sum over the nodes that are present and can use it. */
  readonly slots: number;
  /** Why one of these nodes cannot use it. */
  readonly problem: string | null;
  readonly version: string | null;
  /** It takes no new tasks. */
  readonly isDraining: boolean;
  /** Its running tasks, the latest first. */
  readonly running: readonly {
    readonly projectId: string;
    readonly taskId: string;
    readonly startedAt: Date;
    readonly runningForMs: number;
  }[];
  /** Seconds of work in the last hour, summed over its slots. */
  readonly busySeconds: number;
  readonly lastEndedAt: Date | null;
}

/** What is known of an agent's work without its running tasks, which only the queue knows. */
export type PastActivity = Omit<AgentActivity, "running">;

const hourSeconds = 3_600;

/** The status of an agent as the API reports it; tasks of projects that the caller may not read are left out. */
export function showStatus(activity: AgentActivity, mayRead: (projectId: string) => boolean): AgentStatusReport {
  const current = activity.running.find(({ projectId }) => mayRead(projectId));
  const lastStartedAt = activity.running[0]?.startedAt ?? null;
  const last = [lastStartedAt, activity.lastEndedAt].filter((at) => at !== null).toSorted((a, b) => +b - +a)[0];
  const slots = Math.max(1, activity.slots);
  return {
    agent_id: activity.id,
    status: statusOf(activity),
    current_project: current?.projectId ?? null,
    current_task: current?.taskId ?? null,
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
