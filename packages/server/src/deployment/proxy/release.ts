import type { OriginPool } from "../../platform/network/index.ts";
import { type Outcome, type ReleaseTraffic, TrafficCount } from "./traffic.ts";

/** A request or an upgraded connection between a client and an instance. */
export interface InFlight {
  /** Ends it now. */
  cut(): void;
}

/** For so long an instance that could not be reached is asked last. */
const restMs = 500;

/** One process of a release. */
export class Instance {
  readonly origin: string;
  readonly pool: OriginPool;
  readonly inFlight = new Set<InFlight>();
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(origin: string, pool: OriginPool) {
    this.origin = origin;
    this.pool = pool;
  }

  noteUnreachable(): void {
    this.#failedAtMs = performance.now();
  }

  /** The fewer requests in flight, the sooner it gets the next one. */
  loadAt(nowMs: number): number {
    return this.inFlight.size + (nowMs - this.#failedAtMs < restMs ? 1e9 : 0);
  }
}

/** A version of a program with its instances and its traffic. */
export class Release {
  readonly name: string;
  readonly #open: (origin: string) => OriginPool;
  readonly #traffic = new TrafficCount();
  #instances: readonly Instance[] = [];
  /** Out of rotation, with requests in flight. */
  readonly #leaving = new Set<Instance>();
  readonly #waiters = new Set<() => void>();
  #turn = 0;

  constructor(name: string, open: (origin: string) => OriginPool) {
    this.name = name;
    this.#open = open;
  }

  /** Takes these origins into rotation and all others out of it; requests in flight stay where they are. */
  setOrigins(origins: readonly string[]): void {
    const before = [...this.#instances, ...this.#leaving];
    this.#instances = [...new Set(origins)].map(
      (origin) => before.find((one) => one.origin === origin) ?? new Instance(origin, this.#open(origin)),
    );
    for (const one of before) {
      this.#leaving.delete(one);
      if (!this.#instances.includes(one)) this.#retire(one);
    }
  }

  get isIdle(): boolean {
    return this.inFlight() === 0;
  }

  /** How many requests are in flight, in all or at one instance. */
  inFlight(origin?: string): number {
    return this.#allAt(origin).reduce((sum, one) => sum + one.inFlight.size, 0);
  }

  /** The instance with the fewest requests in flight, in turn among equals, without those that were tried before. */
  choose(tried: readonly Instance[] | undefined): Instance | undefined {
    const all = this.#instances;
    if (all.length === 1 && tried === undefined) return all[0];
    const nowMs = performance.now();
    this.#turn += 1;
    let best: Instance | undefined;
    let bestLoad = Number.POSITIVE_INFINITY;
    for (let step = 0; step < all.length; step += 1) {
      const one = all[(this.#turn + step) % all.length]!;
      if (tried?.includes(one)) continue;
      const load = one.loadAt(nowMs);
      if (load >= bestLoad) continue;
      best = one;
      bestLoad = load;
    }
    return best;
  }

  begin(instance: Instance, one: InFlight): void {
    instance.inFlight.add(one);
  }

  /** A request ended here without an end for its client: it is tried elsewhere. */
  leave(instance: Instance, one: InFlight): void {
    if (!instance.inFlight.delete(one) || instance.inFlight.size > 0) return;
    if (this.#leaving.delete(instance)) closeUnused(instance.pool);
    for (const wake of this.#waiters) wake();
  }

  /** A request for which there was no instance. */
  drop(): void {
    this.#traffic.add("dropped", 0);
  }

  end(instance: Instance, one: InFlight, outcome: Outcome, ms: number): void {
    this.#traffic.add(outcome, ms);
    this.leave(instance, one);
  }

  /** Waits until nothing is in flight, at most so long, then cuts the rest and tells how much that was. */
  async drained(maxMs: number, origin?: string): Promise<number> {
    await this.#idle(maxMs, origin);
    const left = this.#allAt(origin).flatMap(({ inFlight }) => [...inFlight]);
    for (const one of left) one.cut();
    return left.length;
  }

  traffic(): ReleaseTraffic {
    return this.#traffic.report(this.name, this.inFlight());
  }

  async #idle(maxMs: number, origin: string | undefined): Promise<void> {
    if (maxMs <= 0 || this.inFlight(origin) === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => this.inFlight(origin) === 0 && resolve();
    const timer = setTimeout(resolve, maxMs);
    this.#waiters.add(wake);
    await promise;
    clearTimeout(timer);
    this.#waiters.delete(wake);
  }

  #allAt(origin: string | undefined): Instance[] {
    const all = [...this.#instances, ...this.#leaving];
    return origin === undefined ? all : all.filter((one) => one.origin === origin);
  }

  #retire(instance: Instance): void {
    if (instance.inFlight.size > 0) this.#leaving.add(instance);
    else closeUnused(instance.pool);
  }
}

/** Nobody uses it: that its connections are closed in a moment concerns nobody. */
function closeUnused(pool: OriginPool): void {
  void pool.close().catch(() => undefined);
}
