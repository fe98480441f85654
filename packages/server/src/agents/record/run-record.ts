import { type Database, isDatabaseUnavailable } from "../../platform/database/index.ts";
import {
  type AgentRunProgress,
  findOpenRun,
  type NewAgentRun,
  type OpenAgentRun,
  setHandle,
  updateAgentRun,
  upsertAgentRun,
} from "./store.ts";

/** Records what agents receive and use, on one node. */
export interface RunRecords {
  /** The open run of an attempt that starts again after its node died. */
  findOpen(attempt: Pick<NewAgentRun, "projectId" | "taskId" | "number">): Promise<OpenAgentRun | undefined>;
  /** Must come before the agent receives its prompt. */
  open(run: Omit<NewAgentRun, "node">): Promise<RunRecord>;
}

/** Agents send many events, so progress is written at most this often. */
const writeIntervalMs = 2_000;
const maxHandleLength = 4_096;

export function createRunRecords(db: Database, node: string): RunRecords {
  return {
    findOpen: (attempt) => findOpenRun(db, attempt),
    open: async (run) => {
      const recorded = { ...run, node };
      await upsertAgentRun(db, recorded);
      return new RunRecord(db, recorded);
    },
  };
}

/** The record of one run: written when the run begins, at intervals while it works, and when it ends. */
class RunRecord {
  readonly #db: Database;
  readonly #run: NewAgentRun;
  #timer: NodeJS.Timeout | undefined;
  #writing = Promise.resolve();
  #latest: AgentRunProgress | undefined;

  constructor(db: Database, run: NewAgentRun) {
    this.#db = db;
    this.#run = run;
  }

  /** Does not save what is too long for the name of a session, or cannot be stored: such a run cannot be resumed. */
  async saveHandle(handle: string): Promise<void> {
    if (handle.length > maxHandleLength || handle.includes("\0")) return;
    await setHandle(this.#db, this.#run, handle);
  }

  note(progress: AgentRunProgress): void {
    this.#latest = progress;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The next write repeats what this one misses.
      this.#writing = updateAgentRun(this.#db, this.#run, this.#latest ?? progress).catch(() => undefined);
    }, writeIntervalMs).unref();
  }

  /** Writes the end; gives up without a database, because the attempt itself waits for that. */
  async end(progress: AgentRunProgress, outcome: string): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await updateAgentRun(this.#db, this.#run, progress, outcome).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
  }
}
