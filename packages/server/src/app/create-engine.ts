import { join } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import { createRunRecords, findLastError, type RegisteredRow, Registry, type RunnableAgent } from "../agents/index.ts";
import {
  Directory,
  type FindSecrets,
  promoteStep,
  runTask,
  SecretsInUse,
  type TaskDeps,
  verifyPhase,
} from "../engine/execution/index.ts";
import { findRunningTasks } from "../engine/jobs/index.ts";
import {
  type CommitDeps,
  type CommitResult,
  createProjectRunner,
  PlanCache,
  type ProjectRunner,
} from "../engine/lifecycle/index.ts";
import { ProjectLogs } from "../engine/logs/index.ts";
import { PackageCaches, Workspaces } from "../engine/workspaces/index.ts";
import { createReports } from "../features/acceptance/index.ts";
import { createGateApprovals, type PermissionRequests } from "../features/approvals/index.ts";
import { keepArtifacts, putArtifact } from "../features/artifacts/index.ts";
import { countUsers } from "../features/auth/index.ts";
import type { Documents } from "../features/projects/index.ts";
import type { BlobStore } from "../platform/blobs/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import { sortableId } from "../platform/ids.ts";
import type { Log } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { type FileScanner, SecurityScans } from "../verification/index.ts";
import { builtInAgent } from "./built-in-agent.ts";
import { createDeployments, type DeploymentSettings } from "./create-deployments.ts";
import { Engine } from "./engine.ts";

/** What tests replace; an operator does not set it. */
export interface EngineOptions {
  readonly agents?: readonly RunnableAgent[];
  readonly leaseMs?: number;
  /** How long to wait before the next attempt, after this many failures. */
  readonly retryDelayMs?: (failures: number) => number;
  /** How long a minute of a document's limits is; tests shorten it. */
  readonly minuteMs?: number;
  /** How long software is measured under load. */
  readonly loadMs?: number;
  /** Scans files for several services of this process; left out: each has a thread of its own. */
  readonly scanner?: FileScanner;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataFolder: string;
  readonly packageCacheBytes: number;
  readonly blobs: BlobStore;
  readonly sandbox: Sandbox;
  /** Whether only this machine can reach the service. */
  readonly isPrivate: boolean;
  readonly findSecrets: FindSecrets;
  readonly plugins: TaskDeps["plugins"];
  /** Fetches from addresses that the operator allows. */
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** Called after lines of a project were logged. */
  readonly onLogged: (projectId: string) => void;
  readonly documents: Documents;
  readonly findDocument: (projectId: string, environment?: string) => Promise<CompleteSpec>;
  /** Where agents ask people. */
  readonly permissions: PermissionRequests;
  /** Where the operator keeps known weaknesses of packages. */
  readonly advisoriesAt: string | undefined;
  /** How to run an agent that was registered. */
  readonly registeredAgent: (row: RegisteredRow) => RunnableAgent;
  /** Called after each commit that changed runs. */
  readonly onCommit: (result: CommitResult) => void;
  /** Called after an event of a project was appended that no run has caused. */
  readonly onProjectChanged: (projectId: string) => void;
  /** How what is deployed lives on this node. */
  readonly apps: DeploymentSettings;
  readonly options: EngineOptions;
}

/** Composes what moves projects: the runner with its steps, the agents of this node, and what they need. */
export function createEngine(deps: Deps): Engine {
  const { db, clock, log, dataFolder, blobs, options, onCommit } = deps;
  const node = `node_${sortableId(Date.now())}`;
  const directory = new Directory((agentId) => registry.find(agentId)?.identity);
  const registry: Registry = new Registry({
    db,
    clock,
    log,
    node,
    declared: options.agents ?? [builtInAgent],
    registeredAgent: deps.registeredAgent,
    findRunning: (agentIds) => findRunningTasks(db, agentIds),
    onChanged: () => {
      directory.forget();
      runner.wake();
    },
  });
  const logs = new ProjectLogs({ db, log, onWritten: deps.onLogged });
  const deployments = createDeployments({ ...deps, logs, minuteMs: options.minuteMs ?? 60_000 });
  const caches = new PackageCaches(join(dataFolder, "caches"), deps.packageCacheBytes);
  const workspaces = new Workspaces({ folder: join(dataFolder, "workspaces"), blobs, log });
  const commitDeps = commitDepsOf(clock, directory, options);
  const { plans } = commitDeps;
  const scans = new SecurityScans({
    clock,
    dial: deps.dial,
    advisoriesAt: deps.advisoriesAt,
    scanner: options.scanner,
  });
  const secretsInUse = new SecretsInUse();
  const taskDeps = taskDepsOf(deps, {
    node,
    secretsInUse,
    registry,
    agents: directory,
    plans,
    workspaces,
    caches,
    logs,
    deployments,
    scans,
  });
  const runner: ProjectRunner = createProjectRunner({
    ...commitDeps,
    db,
    log,
    node,
    host: deps.apps.host,
    steps: {
      prepare: (projectId, reviewPlan) => deps.documents.prepare(projectId, reviewPlan),
      runTask: (attempt) => runTask(taskDeps, attempt),
      verifyPhase: (verification) => verifyPhase(taskDeps, verification),
      promote: (promotion) => promoteStep(taskDeps, promotion),
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
    scans,
    logs,
    secretsInUse,
  });
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

interface NodeParts
  extends Pick<
    TaskDeps,
    "agents" | "plans" | "workspaces" | "caches" | "logs" | "deployments" | "scans" | "secretsInUse"
  > {
  readonly node: string;
  readonly registry: Registry;
}

function taskDepsOf(deps: Deps, { node, registry, ...own }: NodeParts): TaskDeps {
  const { db, clock, blobs, sandbox, plugins, dial, permissions, findDocument, findSecrets } = deps;
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
    findSecrets,
    findAgent: (agentId) => registry.find(agentId),
    findLastError: (projectId, taskId) => findLastError(db, projectId, taskId),
    records: createRunRecords(db, node),
    whyUncontained: () => whyUncontained(deps),
    reports: createReports({ db, blobs }),
    minuteMs: deps.options.minuteMs ?? 60_000,
    loadMs: deps.options.loadMs,
  };
}

/** Without a sandbox, whoever can reach the service could run anything here: the operator has to ask for that. */
async function whyUncontained({ db, sandbox, isPrivate }: Deps): Promise<string | undefined> {
  if (sandbox.found.kind === "bubblewrap" || sandbox.isUncontainedOnPurpose) return undefined;
  if (isPrivate && (await countUsers(db)) < 2) return undefined;
  return "Agents and scripts cannot be contained: bubblewrap does not work here, and others can use this service. Install bubblewrap, or set 'sandbox: none'.";
}
