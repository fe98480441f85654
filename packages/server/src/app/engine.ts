import { cpus } from "node:os";
import { join } from "node:path";
import { builtInPlugin, type Plugin } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";
import {
  type AgentHere,
  blueprintDriver,
  blueprintDriverWith,
  createRunRecords,
  findLastError,
  isRunOpen,
  type RegisteredRow,
  Registry,
  selectKnownAgents,
} from "../agents/index.ts";
import { Deployments } from "../deployment/index.ts";
import { Directory, runTask, verifyPhase } from "../engine/execution/index.ts";
import { findConflict } from "../engine/generation/index.ts";
import { findRunningTasks, isAttemptInFlight, isJobOpen, releaseAllJobs } from "../engine/jobs/index.ts";
import {
  type CommitDeps,
  type CommitResult,
  createProjectRunner,
  leaveGoneAgents,
  PlanCache,
  type ProjectRunner,
} from "../engine/lifecycle/index.ts";
import { ProjectLogs } from "../engine/logs/index.ts";
import { PackageCaches, Workspaces } from "../engine/workspaces/index.ts";
import { createGateApprovals, type PermissionRequests } from "../features/approvals/index.ts";
import { keepArtifacts, putArtifact } from "../features/artifacts/index.ts";
import { countUsers } from "../features/auth/index.ts";
import { type Documents, prepareRun } from "../features/projects/index.ts";
import type { BlobStore } from "../platform/blobs/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";

import { sortableId } from "../platform/ids.ts";
import type { Log } from "../platform/log/index.ts";
import type { Plugins } from "../platform/plugins/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { lookUpSecrets, type SecretSources } from "../platform/secrets/index.ts";

/** The agent that every installation has: it fills every role, and builds what there are blueprints for. */
export const builtInAgent: AgentHere = {
  name: "builder",
  driver: blueprintDriver,
  capabilities: ["planner", "reviewer", "deployer", ...buildable(builtInPlugin)],
  slots: cpus().length,
};

/** The same agent where there are plugins of others. */
export function builtInAgentWith(plugins: Pick<Plugins, "build" | "plan" | "capabilities">): AgentHere {
  const capabilities = [...new Set([...builtInAgent.capabilities, ...plugins.capabilities])];
  return { ...builtInAgent, driver: blueprintDriverWith(plugins), capabilities };
}

/** The outcome types of a plugin, and the languages in which it builds them. */
function buildable({ outcome_types }: Plugin): string[] {
  return [...new Set(outcome_types.flatMap(({ name, languages }) => [name, ...languages]))];
}

export interface EngineOptions {
  readonly agents?: readonly AgentHere[];
  readonly leaseMs?: number;
  /** How long to wait before the next attempt after so many failures. */
  readonly retryDelayMs?: (failures: number) => number;
  /** How long a minute of a document's limits is. */
  readonly minuteMs?: number;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataFolder: string;
  readonly blobs: BlobStore;
  readonly sandbox: Sandbox;
  /** Whether only this machine can reach the service. */
  readonly isPrivate: boolean;
  /** Where the secrets of documents may be taken from. */
  readonly secretSources: () => Promise<SecretSources>;
  readonly plugins: Pick<Plugins, "check" | "artifactTypes">;
  /** Goes to addresses as far as the operator allows it. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** After lines of a project were logged. */
  readonly onLogged: (projectId: string) => void;
  readonly documents: Documents;
  /** Where agents ask people. */
  readonly permissions: PermissionRequests;
  /** How to run an agent that was registered. */
  readonly agentOf: (row: RegisteredRow) => AgentHere;
  /** After each commit that changed runs. */
  readonly onCommit: (result: CommitResult) => void;
  readonly options: EngineOptions;
}

const sweepMs = 60_000;

/** Everything that carries projects out, put together. */
export class Engine {
  readonly commitDeps: CommitDeps;
  readonly workspaces: Workspaces;
  readonly #parts: Deps;
  readonly #node: string;
  readonly #directory = new Directory();
  readonly #deployments: Deployments;
  readonly #logs: ProjectLogs;
  readonly #caches: PackageCaches;
  readonly #runner: ProjectRunner;
  readonly #registry: Registry;
  #chores: NodeJS.Timeout[] = [];

  constructor(parts: Deps) {
    const { db, clock, log, dataFolder, blobs, documents, options, sandbox, dial } = parts;
    const { agents = [builtInAgent], minuteMs = 60_000 } = options;
    this.#parts = parts;
    this.#node = `node_${sortableId(Date.now())}`;
    this.#registry = new Registry({
      db,
      clock,
      log,
      node: this.#node,
      declared: agents,
      agentOf: parts.agentOf,
      findRunning: (agentIds) => findRunningTasks(db, agentIds),
      onChanged: () => {
        this.#directory.forget();
        this.#runner.wake();
      },
    });
    this.#deployments = new Deployments(sandbox);
    this.#logs = new ProjectLogs({ db, log, onWritten: parts.onLogged });
    this.#caches = new PackageCaches(join(dataFolder, "caches"));
    this.workspaces = new Workspaces({ folder: join(dataFolder, "workspaces"), blobs, log });
    this.commitDeps = {
      clock,
      plans: new PlanCache(),
      agents: this.#directory,
      approvals: createGateApprovals(clock),
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
    const findSecrets = async (document: CompleteSpec) => lookUpSecrets(await parts.secretSources(), document);
    const caches = this.#caches;
    const logs = this.#logs;
    const taskDeps = {
      db,
      plans: this.commitDeps.plans,
      workspaces,
      caches,
      blobs,
      clock,
      deployments: this.#deployments,
      findDocument,
      findAgent: (id: string) => this.#registry.find(id),
      findLastError: (projectId: string, taskId: string) => findLastError(db, projectId, taskId),
      sandbox,
      whyUncontained: () => this.#whyUncontained(),
      dial,
      logs,
      findSecrets,
      plugins: parts.plugins,
      records: createRunRecords(db, this.#node),
      permissions: parts.permissions,
      minuteMs,
    };
    this.#runner = createProjectRunner({
      ...this.commitDeps,
      db,
      log,
      node: this.#node,
      steps: {
        prepare: async (projectId, reviewPlan) => prepareRun(await documents.find(projectId), reviewPlan),
        runTask: (attempt) => runTask(taskDeps, attempt),
        verifyPhase: (verification) =>
          verifyPhase({ ...taskDeps, findConflict: (...run) => findConflict({ db }, ...run) }, verification),
      },
      agentsHere: () => this.#registry.agentsHere(),
      onCommit: (result) => {
        this.#registry.noteTurn();
        parts.onCommit(result);
      },
      ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
    });
  }

  /** Begins to work. Where no other node can be there, what earlier ones had taken is free at once. */
  async start({ isAlone }: { isAlone: boolean }): Promise<void> {
    const { db, log, sandbox } = this.#parts;
    if (sandbox.found.kind === "plain") log.warn(sandbox.found.reasons.join(" "));
    // Programs that a service left behind when it was killed: nobody may be at a task twice.
    await sandbox.sweepOrphans();
    await this.#registry.start({ isAlone });
    if (isAlone) await releaseAllJobs(db);
    this.#runner.start();
    const every = (ms: number, what: string, work: () => Promise<unknown>) =>
      setInterval(() => work().catch((error) => log.warn({ err: error }, `${what} failed`)), ms).unref();
    const sweep = () => this.#sweep();
    void sweep().catch((error) => log.warn({ err: error }, "removing old workspaces failed"));
    this.#chores = [
      every(sweepMs, "removing old workspaces", sweep),
      every(sweepMs, "looking for agents that are gone", () => this.#leaveGoneAgents()),
    ];
  }

  /** Gives back what is under way, and ends what was started. */
  async stop(): Promise<void> {
    for (const chore of this.#chores) clearInterval(chore);
    await this.#runner.stop();
    await this.#deployments.stop();
    await this.#logs.flush();
    await this.#registry.stop();
  }

  /** Ends and removes what a project that is no more has left here. */
  async forget(projectId: string): Promise<void> {
    this.#deployments.end(projectId);
    await Promise.all([this.workspaces.remove(projectId), this.#caches.remove(projectId)]);
  }

  /** There may be something to do in the queue. */
  wake(queue?: string): void {
    this.#runner.wake(queue);
  }

  /** Agents were registered, deleted, or are to be restarted. */
  refreshAgents(): void {
    this.#directory.forget();
    void this.#registry.refresh();
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

  /** Agents that nobody has heard of for long keep nothing waiting. */
  async #leaveGoneAgents(): Promise<void> {
    const { db, onCommit } = this.#parts;
    await leaveGoneAgents({
      ...this.commitDeps,
      db,
      knownAgents: () => selectKnownAgents(db),
      onCommit: (result) => {
        onCommit(result);
        this.#runner.wake();
        if (result.dropped.size > 0) this.#runner.checkOwn();
      },
    });
  }

  async #sweep(): Promise<void> {
    const { db } = this.#parts;
    await this.workspaces.sweep(async (projectId, attemptId) => {
      const [number = 0, fence = 0] = attemptId.split("-").map(Number);
      if (await isAttemptInFlight(db, projectId, number, fence)) return true;
      // Left by a process that died, for the agent to go on with.
      return (await isRunOpen(db, projectId, attemptId)) && (await isJobOpen(db, projectId, number));
    });
  }
}
