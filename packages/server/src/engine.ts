import { cpus } from "node:os";
import { join } from "node:path";
import {
  type AgentHere,
  blueprintDriver,
  Directory,
  findLastError,
  forgetNode,
  noteAgentsHere,
  runTask,
  upsertAgent,
} from "./agents/index.ts";
import { createApprovalBook } from "./approvals/index.ts";
import { type BlobStore, keepArtifacts, putArtifact } from "./artifacts/index.ts";
import { countUsers } from "./auth/index.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database/index.ts";
import { Deployments } from "./deployment/index.ts";
import { freeAllJobs, isAttemptUnderWay } from "./jobs/index.ts";
import { PlanCache, Runner, type TurnParts, type TurnResult } from "./lifecycle/index.ts";
import type { Log } from "./log.ts";
import { LogBook } from "./logs/index.ts";
import { newId, sortableId } from "./new-id.ts";
import { type Documents, prepareRun } from "./projects/index.ts";
import type { Sandbox } from "./sandbox/index.ts";
import { verifyPhase } from "./verification/index.ts";
import { Workspaces } from "./workspace/index.ts";

/** The agent that every installation has. */
export const builtInAgent: AgentHere = {
  name: "builder",
  driver: blueprintDriver,
  capabilities: ["planner", "reviewer", "deployer"],
  slots: cpus().length,
};

export interface EngineOptions {
  readonly agents?: readonly AgentHere[];
  readonly leaseMs?: number;
  /** How long to wait before the next attempt after so many failures. */
  readonly retryDelayMs?: (failures: number) => number;
  /** How long a minute of a document's limits is. */
  readonly minuteMs?: number;
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataFolder: string;
  readonly blobs: BlobStore;
  readonly sandbox: Sandbox;
  /** Whether only this machine can reach the service. */
  readonly isPrivate: boolean;
  /** Goes to addresses as far as the operator allows it. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** After lines of a project were logged. */
  readonly onLogged: (projectId: string) => void;
  readonly documents: Documents;
  /** After each commit that changed runs. */
  readonly onTurn: (result: TurnResult) => void;
  readonly options: EngineOptions;
}

const presenceMs = 4_000;
const sweepMs = 60_000;

/** Everything that carries projects out, put together. */
export class Engine {
  readonly turnParts: TurnParts;
  readonly workspaces: Workspaces;
  readonly #parts: Parts;
  readonly #node: string;
  readonly #directory = new Directory();
  readonly #deployments: Deployments;
  readonly #logs: LogBook;
  readonly #runner: Runner;
  readonly #agents: readonly AgentHere[];
  /** By id, once they are known to the database. */
  readonly #agentsById = new Map<string, AgentHere>();
  #chores: NodeJS.Timeout[] = [];

  constructor(parts: Parts) {
    const { db, clock, log, dataFolder, blobs, documents, options, sandbox, dial } = parts;
    const { agents = [builtInAgent], minuteMs = 60_000 } = options;
    this.#parts = parts;
    this.#node = `node_${sortableId(Date.now())}`;
    this.#agents = agents;
    this.#deployments = new Deployments(sandbox);
    this.#logs = new LogBook({ db, log, onWritten: parts.onLogged });
    this.workspaces = new Workspaces({ folder: join(dataFolder, "workspaces"), blobs, log });
    this.turnParts = {
      clock,
      plans: new PlanCache(),
      agents: this.#directory,
      approvals: createApprovalBook(clock),
      artifacts: {
        record: async (trx, projectId, artifacts) => {
          for (const { type, path, digest, size, mediaType } of artifacts)
            await putArtifact(trx, { projectId, type, path, digest, sizeBytes: size, mediaType, now: clock.now() });
        },
        keep: keepArtifacts,
      },
      retryDelayMs: options.retryDelayMs ?? ((failures) => Math.min(1_000 * 4 ** (failures - 1), 60_000)),
    };
    const { workspaces } = this;
    const findDocument = async (projectId: string) => (await documents.find(projectId)).document;
    const taskParts = {
      workspaces,
      blobs,
      clock,
      deployments: this.#deployments,
      findDocument,
      findAgent: (id: string) => this.#agentsById.get(id),
      findLastError: (projectId: string, taskId: string) => findLastError(db, projectId, taskId),
      sandbox,
      whyUncontained: () => this.#whyUncontained(),
      dial,
      logs: this.#logs,
      minuteMs,
    };
    this.#runner = new Runner({
      ...this.turnParts,
      db,
      log,
      node: this.#node,
      steps: {
        prepare: async (projectId, reviewPlan) => prepareRun(await documents.find(projectId), reviewPlan),
        runTask: (attempt) => runTask(taskParts, attempt),
        verifyPhase: (verification) =>
          verifyPhase({ workspaces, blobs, findDocument, minuteMs, sandbox }, verification),
      },
      agentsHere: () => [...this.#agentsById].map(([id, { slots, capabilities }]) => ({ id, slots, capabilities })),
      onTurn: parts.onTurn,
      ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
    });
  }

  /** Begins to work. Where no other node can be there, what earlier ones had taken is free at once. */
  async start({ isAlone }: { isAlone: boolean }): Promise<void> {
    const { db, clock, log, sandbox } = this.#parts;
    for (const agent of this.#agents) {
      const id = newId("agent", clock.now().getTime());
      const { name, driver, capabilities } = agent;
      this.#agentsById.set(await upsertAgent(db, { id, name, kind: driver.kind, capabilities }), agent);
    }
    await this.#notePresence();
    if (sandbox.found.kind === "plain") log.warn(sandbox.found.reasons.join(" "));
    // Programs that a service left behind when it was killed: nobody may be at a task twice.
    await sandbox.sweepOrphans();
    if (isAlone) await freeAllJobs(db);
    this.#runner.start();
    const every = (ms: number, what: string, work: () => Promise<unknown>) =>
      setInterval(() => work().catch((error) => log.warn({ err: error }, `${what} failed`)), ms).unref();
    const sweep = () => this.#sweep();
    void sweep().catch((error) => log.warn({ err: error }, "removing old workspaces failed"));
    this.#chores = [
      every(presenceMs, "saying which agents are here", () => this.#notePresence()),
      every(sweepMs, "removing old workspaces", sweep),
    ];
  }

  /** Gives back what is under way, and ends what was started. */
  async stop(): Promise<void> {
    for (const chore of this.#chores) clearInterval(chore);
    await this.#runner.stop();
    await this.#deployments.stop();
    await this.#logs.flush();
    await forgetNode(this.#parts.db, this.#node).catch(() => undefined);
  }

  /** Ends and removes what a project that is no more has left here. */
  async forget(projectId: string): Promise<void> {
    this.#deployments.end(projectId);
    await this.workspaces.remove(projectId);
  }

  /** There may be something to do in the queue. */
  ring(queue?: string): void {
    this.#runner.ring(queue);
  }

  /** Jobs may have been taken away from whoever is at them. */
  checkOwn(): void {
    this.#runner.checkOwn();
  }

  /** Whoever could reach the service could run anything here: that is for the operator to want. */
  async #whyUncontained(): Promise<string | undefined> {
    const { db, sandbox, isPrivate } = this.#parts;
    if (sandbox.found.kind === "bubblewrap" || sandbox.isUncontainedOnPurpose) return undefined;
    if (isPrivate && (await countUsers(db)) < 2) return undefined;
    return "Agents and scripts cannot be contained: bubblewrap does not work here, and others can use this service. Install bubblewrap, or set 'sandbox: none'.";
  }

  #notePresence(): Promise<void> {
    const agents = [...this.#agentsById].map(([id, { slots }]) => ({ id, slots }));
    return noteAgentsHere(this.#parts.db, this.#node, agents);
  }

  async #sweep(): Promise<void> {
    const { db } = this.#parts;
    await this.workspaces.sweep((projectId, attemptId) => {
      const [number, fence] = attemptId.split("-").map(Number);
      return isAttemptUnderWay(db, projectId, number ?? 0, fence ?? 0);
    });
  }
}
