import { messageOf } from "../../platform/errors/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import type { AgentDriver, Probe } from "../drivers/driver.ts";

export interface ProbeLimits {
  /** How long an agent may take to show that it can be used. */
  readonly probeMs: number;
  /** How many are tried out at a time: each may be a large program that starts. */
  readonly atOnce: number;
  /** After how long who could not be used is tried out again. */
  readonly retryMs: number;
}

export const usualProbeLimits: ProbeLimits = { probeMs: 60_000, atOnce: 2, retryMs: 300_000 };

/** Tries agents out, a few at a time. */
export class Probes {
  readonly #limits: ProbeLimits;
  readonly #waiting: (() => void)[] = [];
  readonly #stopping = new AbortController();
  #inFlight = 0;

  constructor(limits: ProbeLimits) {
    this.#limits = limits;
  }

  /** Whether the agent can be used; nothing once it no longer matters. Never fails. */
  async probe(driver: AgentDriver, signal: AbortSignal): Promise<Probe | undefined> {
    if (this.#inFlight < this.#limits.atOnce) this.#inFlight += 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    const ending = AbortSignal.any([this.#stopping.signal, signal]);
    try {
      if (ending.aborted) return undefined;
      const probe = await probeWithin(driver, this.#limits.probeMs, ending);
      return ending.aborted ? undefined : probe;
    } finally {
      // Who waits takes the place over: nobody may come between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#inFlight -= 1;
      else next();
    }
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stopping.abort();
    for (const letGo of this.#waiting.splice(0)) letGo();
  }
}

/** Tries one agent out; one that does not answer in time, or fails at it, cannot be used. */
export async function probeWithin(driver: AgentDriver, limitMs: number, signal?: AbortSignal): Promise<Probe> {
  const limit = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<Probe>();
  const end = (reason: string) => {
    limit.abort();
    resolve({ isUsable: false, reason });
  };
  const timer = setTimeout(() => end(`It did not answer within ${limitMs / 1000} seconds.`), limitMs);
  const onStop = () => end("It was not looked at to the end.");
  signal?.addEventListener("abort", onStop, { once: true });
  try {
    // Also of a driver that throws at once.
    const asked = (async () => driver.probe(limit.signal))().catch(
      (error: unknown): Probe => ({ isUsable: false, reason: messageOf(error) }),
    );
    const probe = await Promise.race([asked, late]);
    if (probe.isUsable) return { isUsable: true, version: oneLine(probe.version, 200) };
    return { isUsable: false, reason: oneLine(probe.reason, 1_000) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onStop);
  }
}
