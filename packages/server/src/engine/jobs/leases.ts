import type { Database } from "../../platform/database/index.ts";
import { deleteNode, deleteSilentNodes, renewNode } from "./node-store.ts";
import { releaseLostJobs } from "./store.ts";

/** How long a node may be silent before others claim its jobs; it renews its lease at a third of that. */
export const defaultLeaseMs = 10_000;

/** A node that died between two statements may have left a claim without a lease: looked for after so many leases. */
const leasesPerSearch = 6;

interface Deps {
  readonly db: Database;
  readonly node: string;
  readonly leaseMs: number;
  /** The node's data folder. */
  readonly host?: string | undefined;
}

/** This node's lease in the database: for as long as it is renewed, nobody else claims the node's jobs. */
export class NodeLease {
  readonly #deps: Deps;
  /** When the last renewal that succeeded was sent. All times are of the monotonic clock. */
  #renewedAtMs = -Infinity;
  /** Since when no renewal has failed or come late. */
  #steadySinceMs = Infinity;
  #searchedAtMs = -Infinity;
  #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Aborted when the lease has ended by this node's own clock: then another node may be at the same work. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Renews the lease if that is due, and releases the jobs of nodes that are silent; answers whether it was due. */
  async keep(): Promise<boolean> {
    const { db, node, leaseMs, host } = this.#deps;
    const nowMs = performance.now();
    if (nowMs - this.#renewedAtMs <= leaseMs / 3) return false;
    try {
      const { hasSilent } = await renewNode(db, node, leaseMs, host);
      this.#noteRenewed(nowMs);
      if (this.#mayTakeOver(nowMs, hasSilent)) {
        await deleteSilentNodes(db);
        await releaseLostJobs(db);
        this.#searchedAtMs = nowMs;
      }
    } catch (error) {
      this.#steadySinceMs = Infinity;
      throw error;
    }
    return true;
  }

  /** Gives the lease up; jobs that are still claimed are free for others. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await deleteNode(this.#deps.db, this.#deps.node);
  }

  #noteRenewed(sentAtMs: number): void {
    const { leaseMs } = this.#deps;
    const isLate = performance.now() - this.#renewedAtMs > (leaseMs * 2) / 3;
    if (isLate || this.#steadySinceMs === Infinity) this.#steadySinceMs = performance.now();
    this.#renewedAtMs = sentAtMs;
    if (this.#ending.signal.aborted) this.#ending = new AbortController();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#ending.abort(new LeaseEnded()),
      sentAtMs + leaseMs - performance.now(),
    ).unref();
  }

  /**
   * After an outage of the database, all leases have ended, and the first node back would take over everybody's work. So
   * others' leases count from when this node is back: they have one lease of time to renew theirs.
   */
  #mayTakeOver(nowMs: number, hasSilent: boolean): boolean {
    const { leaseMs } = this.#deps;
    const isSearchDue = nowMs - this.#searchedAtMs > leasesPerSearch * leaseMs;
    return nowMs - this.#steadySinceMs >= leaseMs && (hasSilent || isSearchDue);
  }
}

/** This node could not renew its lease in time. */
export class LeaseEnded extends Error {
  override readonly name = "LeaseEnded";

  constructor() {
    super("The node has not reached the database for so long that another node may have taken its work over.");
  }
}
