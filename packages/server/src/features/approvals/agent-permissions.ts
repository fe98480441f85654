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
  /** Wakes by a project's id when the project may have changed. */
  readonly signals: Pick<ProjectSignals, "subscribe">;
  /** Called after a request was saved. */
  readonly onChanged: (projectId: string) => void;
}

/** Signals may get lost, so the answer is also polled. */
const pollMs = 1_000;

/** Asks people, on behalf of agents, for permission. */
export class PermissionRequests implements AgentPermissions {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Saves the request and waits for a decision; false if none comes in time, or the signal aborts. */
  async ask(asked: PermissionQuestion, signal: AbortSignal): Promise<boolean> {
    const endsAtMs = performance.now() + asked.waitMs;
    const id = await this.#write(asked);
    const over = new AbortController();
    const wakeUp = new WakeUp();
    this.#deps.signals.subscribe(asked.projectId, () => wakeUp.wake(), over.signal);
    signal.addEventListener("abort", () => wakeUp.wake(), { once: true, signal: over.signal });
    try {
      for (;;) {
        const decision = await this.#poll(id, endsAtMs, signal);
        if (decision !== undefined) return decision === "approved";
        await wakeUp.wait(Math.max(1, Math.min(pollMs, endsAtMs - performance.now())));
      }
    } finally {
      over.abort();
    }
  }

  /** Withdraws the requests of a task whose process has died: nobody waits for their answers. */
  async withdraw(projectId: string, taskId: string): Promise<void> {
    const { db, clock } = this.#deps;
    await db.transaction().execute((trx) => decide(trx, { projectId, taskId }, closed("withdrawn", clock)));
  }

  async #write({ projectId, taskId, agentId, phase, environment, question, waitMs }: PermissionQuestion) {
    const { db, clock, onChanged } = this.#deps;
    const now = clock.now();
    const id = newId("approval", now.getTime());
    const deadline = new Date(now.getTime() + waitMs);
    await db.transaction().execute(async (trx) => {
      // The event first: it locks the project, so that two requests cannot get the same number.
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

  async #poll(id: string, endsAtMs: number, signal: AbortSignal): Promise<Decision["decision"] | undefined> {
    const { db } = this.#deps;
    if (signal.aborted) return this.#close(id, "withdrawn");
    const decision = await findDecision(db, id).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return null;
    });
    if (decision === null) return performance.now() < endsAtMs ? undefined : this.#close(id, "expired");
    // The project was deleted, and the request with it.
    return decision ?? "withdrawn";
  }

  /** A decision that came first stands. */
  async #close(id: string, decision: "withdrawn" | "expired"): Promise<Decision["decision"]> {
    const { db, clock } = this.#deps;
    await db.transaction().execute((trx) => decide(trx, { id }, closed(decision, clock)));
    return (await findDecision(db, id)) ?? decision;
  }
}

function closed(decision: "withdrawn" | "expired", clock: Clock): Decision {
  return { decision, decidedAt: clock.now(), decidedBy: null, comment: null };
}
