import { messageOf } from "../../platform/errors/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { Probe } from "../drivers/driver.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

export interface ProbeLimits {
  /** How long a probe may take. */
  readonly probeMs: number;
  /** How many probes run at a time: each may start a large program. */
  readonly atOnce: number;
  /** How long until an unusable agent is probed again. */
  readonly retryMs: number;
}

export const defaultProbeLimits: ProbeLimits = { probeMs: 60_000, atOnce: 2, retryMs: 300_000 };

/** Probes agents, a few at a time. */
export class Probes {
  readonly #limits: ProbeLimits;
  readonly #waiting: (() => void)[] = [];
  readonly #stopping = new AbortController();
  #inFlight = 0;

  constructor(limits: ProbeLimits) {
    this.#limits = limits;
  }

  /** Whether the agent can be used; undefined if the signal aborted first. Never rejects. */
  async probe(agent: ProbedAgent, signal: AbortSignal): Promise<Probe | undefined> {
    if (this.#inFlight < this.#limits.atOnce) this.#inFlight += 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    const ending = AbortSignal.any([this.#stopping.signal, signal]);
    try {
      if (ending.aborted) return undefined;
      const probe = await probeWithin(agent, this.#limits.probeMs, ending);
      return ending.aborted ? undefined : probe;
    } finally {
      // The slot goes straight to the next in line, so that a newcomer cannot take it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#inFlight -= 1;
      else next();
    }
  }

  /** Ends the probes in flight and those that wait. */
  stop(): void {
    this.#stopping.abort();
    for (const release of this.#waiting.splice(0)) release();
  }
}

type ProbedAgent = Pick<RunnableAgent, "driver" | "secrets">;

/** Probes one agent; an error or a timeout makes it unusable. Everybody sees what it says: its keys are masked. */
export async function probeWithin(
  { driver, secrets }: ProbedAgent,
  limitMs: number,
  signal?: AbortSignal,
): Promise<Probe> {
  const limit = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<Probe>();
  const end = (reason: string) => {
    limit.abort();
    resolve({ isUsable: false, reason });
  };
  const timer = setTimeout(() => end(`It did not answer within ${limitMs / 1000} seconds.`), limitMs);
  const onStop = () => end("The probe was stopped before it ended.");
  signal?.addEventListener("abort", onStop, { once: true });
  try {
    // In an async function, so that a driver that throws at once is caught too.
    const probing = (async () => driver.probe(limit.signal))().catch(
      (error: unknown): Probe => ({ isUsable: false, reason: messageOf(error) }),
    );
    const probe = await Promise.race([probing, late]);
    const masker = new Masker(secrets?.() ?? []);
    if (probe.isUsable) return { isUsable: true, version: oneLine(masker.maskAndCut(probe.version, 1_000), 200) };
    return { isUsable: false, reason: oneLine(masker.maskAndCut(probe.reason, 5_000), 1_000) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onStop);
  }
}
