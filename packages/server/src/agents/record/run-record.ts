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

/** Keeps what agents are given and use, on one node. */
export interface RunRecords {
  /** The run that a node has died at, of an attempt that begins again. */
  findOpen(attempt: Pick<NewAgentRun, "projectId" | "taskId" | "number">): Promise<OpenAgentRun | undefined>;
  /** Before the agent is told anything. */
  open(run: Omit<NewAgentRun, "node">): Promise<RunRecord>;
}

/** Between two notes of the same run: agents let know a lot. */
const restMs = 2_000;

export function createRunRecords(db: Database, node: string): RunRecords {
  return {
    findOpen: (attempt) => findOpenRun(db, attempt),
    open: async (run) => {
      const noted = { ...run, node };
      await upsertAgentRun(db, noted);
      return new RunRecord(db, noted);
    },
  };
}

/** The record of one run: written when it begins, now and then while it goes on, and when it ends. */
class RunRecord {
  readonly #db: Database;
  readonly #run: NewAgentRun;
  #latest: AgentRunProgress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing = Promise.resolve();

  constructor(db: Database, run: NewAgentRun) {
    this.#db = db;
    this.#run = run;
  }

  async keepHandle(handle: string): Promise<void> {
    await setHandle(this.#db, this.#run, handle);
  }

  note(progress: AgentRunProgress): void {
    this.#latest = progress;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // What is missed now is in the next one.
      this.#writing = updateAgentRun(this.#db, this.#run, this.#latest!).catch(() => undefined);
    }, restMs).unref();
  }

  /** Waits until the end is written down; without a database it is not, for the attempt itself will wait for that. */
  async end(progress: AgentRunProgress, outcome: string): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await updateAgentRun(this.#db, this.#run, progress, outcome).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
  }
}
