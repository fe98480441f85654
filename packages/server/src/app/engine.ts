import { isRunOpen, type Registry, type RunnableAgent, selectKnownAgents } from "../agents/index.ts";
import type { Deployments } from "../deployment/index.ts";
import type { Directory, SecretsInUse } from "../engine/execution/index.ts";
import { deleteAllNodes, isAttemptInFlight, isJobOpen, releaseLostJobs } from "../engine/jobs/index.ts";
import { type CommitDeps, type CommitResult, leaveGoneAgents, type ProjectRunner } from "../engine/lifecycle/index.ts";
import type { ProjectLogs } from "../engine/logs/index.ts";
import type { PackageCaches, Workspaces } from "../engine/workspaces/index.ts";
import { asSentences } from "../platform/as-sentences.ts";
import type { Database } from "../platform/database/index.ts";
import type { Log } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import type { SecurityScans } from "../verification/index.ts";
import { type Chore, startChores } from "./chores.ts";

interface Deps {
  readonly db: Database;
  readonly log: Log;
  readonly sandbox: Sandbox;
  /** Called after each commit that changed runs. */
  readonly onCommit: (result: CommitResult) => void;
  readonly commitDeps: CommitDeps;
  readonly directory: Directory;
  readonly registry: Registry;
  readonly runner: ProjectRunner;
  readonly workspaces: Workspaces;
  readonly caches: PackageCaches;
  readonly deployments: Deployments;
  readonly scans: SecurityScans;
  readonly logs: ProjectLogs;
  readonly secretsInUse: SecretsInUse;
}

const sweepMs = 60_000;
const settleMs = 10_000;
const trimMs = 600_000;

/** Everything that moves projects on this node, from its start to its stop. */
export class Engine {
  readonly commitDeps: CommitDeps;
  readonly workspaces: Workspaces;
  readonly deployments: Deployments;
  readonly secretsInUse: SecretsInUse;
  readonly #deps: Deps;
  #stopChores: () => void = () => undefined;
  readonly #stopping = new AbortController();

  constructor(deps: Deps) {
    this.commitDeps = deps.commitDeps;
    this.workspaces = deps.workspaces;
    this.deployments = deps.deployments;
    this.secretsInUse = deps.secretsInUse;
    this.#deps = deps;
  }

  /** Begins to work. A node that is alone takes back at once what earlier processes had claimed. */
  async start({ isAlone }: { isAlone: boolean }): Promise<void> {
    const { db, log, sandbox, registry, runner, deployments } = this.#deps;
    if (sandbox.found.kind === "plain") log.warn(asSentences(sandbox.found.reasons));
    // Programs outlive a service that was killed, and no task may run twice at once.
    await sandbox.sweepOrphans();
    await deployments.endLeft();
    await registry.start({ isAlone });
    if (isAlone) {
      await deleteAllNodes(db);
      await releaseLostJobs(db);
    }
    runner.start();
    const sweep: Chore = {
      everyMs: sweepMs,
      what: "removing old workspaces",
      work: () => sweepWorkspaces(db, this.workspaces),
    };
    const trim: Chore = {
      everyMs: trimMs,
      what: "removing package caches",
      work: () => this.#deps.caches.trim(this.#stopping.signal),
    };
    const settle: Chore = {
      everyMs: settleMs,
      what: "looking after what is deployed",
      work: () => this.#deps.deployments.settleAll(),
      mayOverlap: true,
    };
    const leave: Chore = {
      everyMs: sweepMs,
      what: "looking for agents that are gone",
      work: () => this.#leaveGoneAgents(),
    };
    for (const { work, what } of [sweep, settle])
      void work().catch((error) => log.warn({ err: error }, `${what} failed`));
    this.#stopChores = startChores(log, [sweep, leave, settle, trim]);
  }

  /** Gives back the jobs in flight, and ends what was started. */
  async stop(): Promise<void> {
    const { runner, deployments, scans, logs, registry } = this.#deps;
    this.#stopChores();
    this.#stopping.abort();
    // Before the jobs: one may wait for its turn behind a script.
    const settled = deployments.endSettling();
    await runner.stop();
    await settled;
    await deployments.leave();
    scans.close();
    await logs.flush();
    await registry.stop();
  }

  /** Removes what a deleted project has left on this node. */
  async forget(projectId: string): Promise<void> {
    await Promise.all([this.workspaces.remove(projectId), this.#deps.caches.remove(projectId)]);
  }

  /** Brings a deployment to what people want of it, if it lives on this node; all of them, without an id. */
  async settleDeployment(deploymentId?: string): Promise<void> {
    const { deployments, log } = this.#deps;
    if (deploymentId !== undefined) return deployments.settle(deploymentId);
    await deployments.settleAll().catch((error) => log.warn({ err: error }, "settling what is deployed failed"));
  }

  /** Polls the queue at once, or all queues: there may be jobs in them. */
  wake(queue?: string): void {
    this.#deps.runner.wake(queue);
  }

  /** An agent that this node can run. */
  findAgent(agentId: string): RunnableAgent | undefined {
    return this.#deps.registry.find(agentId);
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

/** Removes the folders of attempts that nobody works on, or may still resume. */
async function sweepWorkspaces(db: Database, workspaces: Workspaces): Promise<void> {
  await workspaces.sweep(async (projectId, attemptId) => {
    const [number = 0, fence = 0] = attemptId.split("-").map(Number);
    if (await isAttemptInFlight(db, projectId, number, fence)) return true;
    // A process that died left it, and its agent may continue there.
    return (await isRunOpen(db, projectId, attemptId)) && (await isJobOpen(db, projectId, number));
  });
}
