import { join } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import {
  createRunRecords,
  findLastError,
  isRunOpen,
  type RegisteredRow,
  Registry,
  type RunnableAgent,
  selectKnownAgents,
} from "../agents/index.ts";
import { Deployments } from "../deployment/index.ts";
import { Directory, runTask, type TaskDeps, verifyPhase } from "../engine/execution/index.ts";
import { isAttemptInFlight, isJobOpen, releaseAllJobs } from "../engine/jobs/index.ts";
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
import { builtInAgent } from "./built-in-agent.ts";
import { type Chore, startChores } from "./chores.ts";

export interface EngineOptions {
  readonly agents?: readonly RunnableAgent[];
  readonly leaseMs?: number;
  /** How long to wait before the next attempt, after this many failures. */
  readonly retryDelayMs?: (failures: number) => number;
  /** How long a minute of a document's limits is; tests shorten it. */
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
  /** Where the secrets of documents come from. */
  readonly secretSources: () => Promise<SecretSources>;
  readonly plugins: Pick<Plugins, "check" | "artifactTypes">;
  /** Fetches from addresses that the operator allows. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** Called after lines of a project were logged. */
  readonly onLogged: (projectId: string) => void;
  readonly documents: Documents;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  /** Where agents ask people. */
  readonly permissions: PermissionRequests;
  /** How to run an agent that was registered. */
  readonly registeredAgent: (row: RegisteredRow) => RunnableAgent;
  /** Called after each commit that changed runs. */
  readonly onCommit: (result: CommitResult) => void;
  readonly options: EngineOptions;
}

const sweepMs = 60_000;

/** Composes what moves projects: the runner with its steps, the agents of this node, and what they need. */
export function createEngine(deps: Deps): Engine {
  const { db, clock, log, dataFolder, blobs, options, onCommit } = deps;
  const node = `node_${sortableId(Date.now())}`;
  const directory = new Directory();
  const registry: Registry = new Registry({
    db,
    clock,
    log,
    node,
    declared: options.agents ?? [builtInAgent],
    registeredAgent: deps.registeredAgent,
    onChanged: () => {
      directory.forget();
      runner.wake();
    },
  });
  const deployments = new Deployments(deps.sandbox);
  const logs = new ProjectLogs({ db, log, onWritten: deps.onLogged });
  const caches = new PackageCaches(join(dataFolder, "caches"));
  const workspaces = new Workspaces({ folder: join(dataFolder, "workspaces"), blobs, log });
  const commitDeps = commitDepsOf(clock, directory, options);
  const { plans } = commitDeps;
  const taskDeps = taskDepsOf(deps, { node, registry, plans, workspaces, caches, logs, deployments });
  const runner: ProjectRunner = createProjectRunner({
    ...commitDeps,
    db,
    log,
    node,
    steps: {
      prepare: async (projectId, reviewPlan) => prepareRun(await deps.documents.find(projectId), reviewPlan),
      runTask: (attempt) => runTask(taskDeps, attempt),
      verifyPhase: (verification) => verifyPhase(taskDeps, verification),
    },
    agentsHere: () => registry.agentsHere(),
    onCommit: (result) => {
      registry.noteTasksEnded();
      onCommit(result);
    },
    ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
  });
  const { sandbox } = deps;
  return new Engine({
    db,
    log,
    sandbox,
    onCommit,
    commitDeps,
    directory,
    registry,
    runner,
    workspaces,
    caches,
    deployments,
    logs,
  });
}

interface EngineDeps extends Pick<Deps, "db" | "log" | "sandbox" | "onCommit"> {
  readonly commitDeps: CommitDeps;
  readonly directory: Directory;
  readonly registry: Registry;
  readonly runner: ProjectRunner;
  readonly workspaces: Workspaces;
  readonly caches: PackageCaches;
  readonly deployments: Deployments;
  readonly logs: ProjectLogs;
}

/** Everything that moves projects on this node, from its start to its stop. */
export class Engine {
  readonly commitDeps: CommitDeps;
  readonly workspaces: Workspaces;
  readonly #deps: EngineDeps;
  #stopChores: () => void = () => undefined;

  constructor(deps: EngineDeps) {
    this.commitDeps = deps.commitDeps;
    this.workspaces = deps.workspaces;
    this.#deps = deps;
  }

  /** Begins to work. A node that is alone takes back at once what earlier processes had claimed. */
  async start({ isAlone }: { isAlone: boolean }): Promise<void> {
    const { db, log, sandbox, registry, runner } = this.#deps;
    if (sandbox.found.kind === "plain") log.warn(sandbox.found.reasons.join(" "));
    // Programs outlive a service that was killed, and no task may run twice at once.
    await sandbox.sweepOrphans();
    await registry.start({ isAlone });
    if (isAlone) await releaseAllJobs(db);
    runner.start();
    const sweep: Chore = {
      everyMs: sweepMs,
      what: "removing old workspaces",
      work: () => sweepWorkspaces(db, this.workspaces),
    };
    const leave: Chore = {
      everyMs: sweepMs,
      what: "looking for agents that are gone",
      work: () => this.#leaveGoneAgents(),
    };
    void sweep.work().catch((error) => log.warn({ err: error }, `${sweep.what} failed`));
    this.#stopChores = startChores(log, [sweep, leave]);
  }

  /** Gives back the jobs in flight, and ends what was started. */
  async stop(): Promise<void> {
    const { runner, deployments, logs, registry } = this.#deps;
    this.#stopChores();
    await runner.stop();
    await deployments.stop();
    await logs.flush();
    await registry.stop();
  }

  /** Ends and removes what a deleted project has left on this node. */
  async forget(projectId: string): Promise<void> {
    const { deployments, caches } = this.#deps;
    deployments.end(projectId);
    await Promise.all([this.workspaces.remove(projectId), caches.remove(projectId)]);
  }

  /** Polls the queue at once, or all queues: there may be jobs in them. */
  wake(queue?: string): void {
    this.#deps.runner.wake(queue);
  }

  /** Reads the agents again: some were registered, deleted, or are to be restarted. */
  refreshAgents(): void {
    this.#deps.directory.forget();
    void this.#deps.registry.refresh();
  }

  /** Checks which jobs are still this node's: some may have been taken away. */
  checkOwn(): void {
    this.#deps.runner.checkOwn();
  }

  /** Frees the tasks of agents that nobody has heard from for long. */
  async #leaveGoneAgents(): Promise<void> {
    const { db, onCommit, runner } = this.#deps;
    await leaveGoneAgents({
      ...this.commitDeps,
      db,
      knownAgents: () => selectKnownAgents(db),
      onCommit: (result) => {
        onCommit(result);
        runner.wake();
        if (result.dropped.size > 0) runner.checkOwn();
      },
    });
  }
}

function commitDepsOf(clock: Clock, agents: Directory, { retryDelayMs }: EngineOptions): CommitDeps {
  return {
    clock,
    plans: new PlanCache(),
    agents,
    approvals: createGateApprovals(clock),
    artifacts: {
      record: async (trx, projectId, artifacts) => {
        for (const { type, path, digest, size, mediaType } of artifacts)
          await putArtifact(trx, { projectId, type, path, digest, sizeBytes: size, mediaType, now: clock.now() });
      },
      keep: keepArtifacts,
    },
    retryDelayMs: retryDelayMs ?? ((failures) => Math.min(1_000 * 4 ** (failures - 1), 60_000)),
  };
}

interface NodeParts extends Pick<TaskDeps, "plans" | "workspaces" | "caches" | "logs" | "deployments"> {
  readonly node: string;
  readonly registry: Registry;
}

function taskDepsOf(deps: Deps, { node, registry, ...own }: NodeParts): TaskDeps {
  const { db, clock, blobs, sandbox, plugins, dial, permissions, findDocument } = deps;
  return {
    ...own,
    db,
    clock,
    blobs,
    sandbox,
    plugins,
    dial,
    permissions,
    findDocument,
    findSecrets: async (document) => lookUpSecrets(await deps.secretSources(), document),
    findAgent: (agentId) => registry.find(agentId),
    findLastError: (projectId, taskId) => findLastError(db, projectId, taskId),
    records: createRunRecords(db, node),
    whyUncontained: () => whyUncontained(deps),
    minuteMs: deps.options.minuteMs ?? 60_000,
  };
}

/** Without a sandbox, whoever can reach the service could run anything here: the operator has to ask for that. */
async function whyUncontained({ db, sandbox, isPrivate }: Deps): Promise<string | undefined> {
  if (sandbox.found.kind === "bubblewrap" || sandbox.isUncontainedOnPurpose) return undefined;
  if (isPrivate && (await countUsers(db)) < 2) return undefined;
  return "Agents and scripts cannot be contained: bubblewrap does not work here, and others can use this service. Install bubblewrap, or set 'sandbox: none'.";
}

/** Removes the folders of attempts that nobody works on, or may still resume. */
async function sweepWorkspaces(db: Database, workspaces: Workspaces): Promise<void> {
  await workspaces.sweep(async (projectId, attemptId) => {
    const [number = 0, fence = 0] = attemptId.split("-").map(Number);
    if (await isAttemptInFlight(db, projectId, number, fence)) return true;
    // A process that died left it, and its agent may continue there.
    return (await isRunOpen(db, projectId, attemptId)) && (await isJobOpen(db, projectId, number));
  });
}
