import { appendEvent, type ProjectSignals } from "../../engine/events/index.ts";
import type { AgentPermissions, PermissionQuestion } from "../../engine/execution/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, isDatabaseUnavailable } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import { WakeUp } from "../../platform/wake-up/index.ts";
import { type Decision, decide, findDecision, insertPermission } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  /** By a project's id: something of it may have changed. */
  readonly signals: Pick<ProjectSignals, "subscribe">;
  /** After a question was written down, or is no longer open. */
  readonly onChanged: (projectId: string) => void;
}

/** Signals may be lost. */
const pollMs = 1_000;

/** Where agents ask people whether they may do something. */
export class PermissionRequests implements AgentPermissions {
  readonly #parts: Deps;

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  /** Asks, and waits until somebody decides; nobody in time, or nobody who still wants to know: no. */
  async ask(asked: PermissionQuestion, signal: AbortSignal): Promise<boolean> {
    const endsAtMs = performance.now() + asked.waitMs;
    const id = await this.#write(asked);
    const over = new AbortController();
    const wakeUp = new WakeUp();
    this.#parts.signals.subscribe(asked.projectId, () => wakeUp.wake(), over.signal);
    signal.addEventListener("abort", () => wakeUp.wake(), { once: true, signal: over.signal });
    try {
      for (;;) {
        const decision = await this.#look(id, endsAtMs, signal);
        if (decision !== undefined) return decision === "approved";
        await wakeUp.wait(Math.max(1, Math.min(pollMs, endsAtMs - performance.now())));
      }
    } finally {
      over.abort();
    }
  }

  /** Nobody waits any more for what was asked at a task: the process that did has died. */
  async withdraw(projectId: string, taskId: string): Promise<void> {
    const { db, clock } = this.#parts;
    await db.transaction().execute((trx) => decide(trx, { projectId, taskId }, closed("withdrawn", clock)));
  }

  async #write({ projectId, taskId, agentId, phase, environment, question, waitMs }: PermissionQuestion) {
    const { db, clock, onChanged } = this.#parts;
    const now = clock.now();
    const id = newId("approval", now.getTime());
    const deadline = new Date(now.getTime() + waitMs);
    await db.transaction().execute(async (trx) => {
      // The event first: with it the project is locked, and two questions do not get the same number.
      await appendEvent(trx, clock, projectId, "project.approval_required", {
        approval_id: id,
        phase,
        environment,
        approvers: [],
        deadline: deadline.toISOString(),
      });
      const about = { project_id: projectId, task_id: taskId, agent_id: agentId, phase, environment, question };
      await insertPermission(trx, { ...about, id, created_at: now, deadline });
    });
    onChanged(projectId);
    return id;
  }

  async #look(id: string, endsAtMs: number, signal: AbortSignal): Promise<Decision["decision"] | undefined> {
    const { db } = this.#parts;
    if (signal.aborted) return this.#close(id, "withdrawn");
    const decision = await findDecision(db, id).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return null;
    });
    if (decision === null) return performance.now() < endsAtMs ? undefined : this.#close(id, "expired");
    // The project is gone, and the question with it.
    return decision ?? "withdrawn";
  }

  /** Whoever was quicker is right. */
  async #close(id: string, decision: "withdrawn" | "expired"): Promise<Decision["decision"]> {
    const { db, clock } = this.#parts;
    await db.transaction().execute((trx) => decide(trx, { id }, closed(decision, clock)));
    return (await findDecision(db, id)) ?? decision;
  }
}

function closed(decision: "withdrawn" | "expired", clock: Clock): Decision {
  return { decision, decidedAt: clock.now(), decidedBy: null, comment: null };
}
