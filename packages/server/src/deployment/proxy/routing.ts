import { CanaryJudge, type CanaryLimits } from "./canary-judge.ts";
import type { Instance, Release } from "./release.ts";

/** A release that gets requests, by its weight. */
interface Share {
  readonly release: Release;
  readonly weight: number;
}

interface RoutingOptions {
  readonly canary?: CanaryLimits | undefined;
  readonly random: () => number;
  readonly before?: Routing;
}

/** Where a request goes. */
export interface Target {
  readonly release: Release;
  readonly instance: Instance;
  /** Judges the release, if it is a canary. */
  readonly judge: CanaryJudge | undefined;
}

/** One state of the routing; a switch puts another in its place. */
export class Routing {
  readonly #shares: readonly Share[];
  readonly #judge: CanaryJudge | undefined;
  readonly #random: () => number;

  constructor(shares: readonly Share[], { canary, random, before }: RoutingOptions) {
    if (canary !== undefined && !shares.some(({ release }) => release.name === canary.release))
      throw new Error(`The canary ${canary.release} is not among the releases that get requests.`);
    this.#shares = shares;
    this.#judge = canary && CanaryJudge.of(canary, before === undefined ? undefined : before.#judge);
    this.#random = random;
  }

  has(release: Release): boolean {
    return this.#shares.some((share) => share.release === release);
  }

  /** The release that should have taken a request for which there was no instance. */
  get main(): Release | undefined {
    const wanted = this.#shares.filter((share) => this.#weightOf(share) > 0);
    return wanted.sort((one, other) => other.weight - one.weight)[0]?.release;
  }

  /** Chooses a release at random by the weights, and one of its instances that was not tried yet. */
  choose(tried: readonly Instance[] | undefined): Target | undefined {
    const [only] = this.#shares;
    if (this.#shares.length === 1 && this.#judge === undefined && only!.weight > 0)
      return this.#targetAt(only!.release, tried);
    const open = this.#shares
      .map((share) => ({ weight: this.#weightOf(share), target: this.#targetAt(share.release, tried) }))
      .filter(({ weight, target }) => weight > 0 && target !== undefined);
    const total = open.reduce((sum, { weight }) => sum + weight, 0);
    let left = this.#random() * total;
    for (const { weight, target } of open) {
      left -= weight;
      if (left < 0) return target;
    }
    return open.at(-1)?.target;
  }

  #weightOf({ release, weight }: Share): number {
    return this.#judge?.isBreached && this.#judge.release === release.name ? 0 : weight;
  }

  #targetAt(release: Release, tried: readonly Instance[] | undefined): Target | undefined {
    const instance = release.choose(tried);
    const judge = this.#judge?.release === release.name ? this.#judge : undefined;
    return instance && { release, instance, judge };
  }
}
