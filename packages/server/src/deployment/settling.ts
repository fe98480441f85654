import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../platform/database/index.ts";
import type { Log } from "../platform/log/index.ts";
import type { DeploymentSettler } from "./settle-deployments.ts";
import { findDeployment } from "./store.ts";
import type { Turns } from "./turns.ts";

interface Deps {
  readonly db: Database;
  readonly log: Log;
  readonly minuteMs: number;
  readonly turns: Turns;
  readonly settler: Pick<DeploymentSettler, "settle" | "findAll">;
}

/** What is being done to settle a deployment. */
interface Work {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** How long the next deployment waits for one that is being settled. */
const patienceMinutes = 1 / 30;
/** How long a service that ends waits for scripts that it has ended; more than their grace. */
const maxEndMs = 5_000;

/**
 * Settles deployments, each in its turn. A script of a rollback may run for days, and a program take as long to start: that
 * keeps neither others waiting, nor who wants it to stop, nor the service that ends.
 */
export class Settling {
  readonly #deps: Deps;
  readonly #works = new Map<string, Work>();
  /** Those that the last rounds have not done with. */
  readonly #inRounds = new Set<string>();
  readonly #ending = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Brings a deployment to what people want of it, if it lives here; ends work on it that nobody wants any more. */
  async settle(deploymentId: string): Promise<void> {
    const { turns, log } = this.#deps;
    try {
      await this.#endUnwanted(deploymentId);
      await turns.take(deploymentId, () => this.#settleNow(deploymentId), this.#ending.signal);
    } catch (error) {
      if (error instanceof NoLongerWanted) return;
      log.warn({ err: error, deployment_id: deploymentId }, "A deployment could not be settled.");
    }
  }

  /** Begins to settle a deployment, and goes on without the end if that takes longer than a moment. */
  async settleForAMoment(deploymentId: string): Promise<void> {
    if (this.#ending.signal.aborted || this.#inRounds.has(deploymentId)) return;
    this.#inRounds.add(deploymentId);
    const settled = this.settle(deploymentId).finally(() => this.#inRounds.delete(deploymentId));
    await Promise.race([settled, delay(patienceMinutes * this.#deps.minuteMs, undefined, { ref: false })]);
  }

  /** Settles all deployments of this node, one after the other, for each may start programs. */
  async settleAll(): Promise<void> {
    for (const deploymentId of await this.#deps.settler.findAll()) await this.settleForAMoment(deploymentId);
  }

  /** Ends what is being settled, at once; resolves when that has ended. A service that is started later goes on with it. */
  async end(): Promise<void> {
    this.#ending.abort(new NoLongerWanted());
    // A plain process that was only told to end would outlive the service.
    const works = [...this.#works.values()].map(({ done }) => done);
    await Promise.race([Promise.allSettled(works), delay(maxEndMs, undefined, { ref: false })]);
  }

  async #settleNow(deploymentId: string): Promise<void> {
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.#ending.signal]);
    const done = this.#deps.settler.settle(deploymentId, signal);
    this.#works.set(deploymentId, { abort, done });
    try {
      await done;
    } catch (error) {
      // However it was noticed.
      signal.throwIfAborted();
      throw error;
    } finally {
      this.#works.delete(deploymentId);
    }
  }

  async #endUnwanted(deploymentId: string): Promise<void> {
    const work = this.#works.get(deploymentId);
    if (work === undefined) return;
    const row = await findDeployment(this.#deps.db, deploymentId);
    if (row === undefined || row.wanted === "stopped") work.abort.abort(new NoLongerWanted());
  }
}

class NoLongerWanted extends Error {
  override readonly name = "NoLongerWanted";
}
