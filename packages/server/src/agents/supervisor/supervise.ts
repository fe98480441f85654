import { setTimeout as delay } from "node:timers/promises";
import type { Failure } from "../../platform/errors/index.ts";
import type { OutputLog } from "../../platform/log/index.ts";
import { isLogged } from "../../platform/log/index.ts";

import { Masker } from "../../platform/secrets/index.ts";
import type { AgentDriver, AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "../drivers/driver.ts";
import { lineOf } from "./log-lines.ts";
import { maskEvent, type StreamMaskers } from "./mask-event.ts";
import { type AgentUsage, addUsage, overBudget, unknownUsage } from "./usage-budget.ts";

/** What an attempt may take. */
export interface AgentLimits {
  /** Minutes, as the document says, and how long a minute is. */
  readonly minutes: number;
  readonly minuteMs: number;
  /** How long nothing may be heard of it; undefined: as long as it may take at all. */
  readonly idleMs: number | undefined;
  readonly maxTokens: number | undefined;
  readonly maxCostUsd: number | undefined;
}

/** How an attempt ended, whatever the agent says of it. */
type AgentOutcome =
  | { readonly is: "completed"; readonly breakdown?: string }
  | {
      readonly is: "failed" | "timeout" | "memory" | "stalled" | "budget" | "contained";
      readonly error: Failure;
    }
  | { readonly is: "cancelled" };

/** What an agent is at and has used, as far as it says so. */
interface AgentProgress extends AgentUsage {
  /** What it was last said to be at. */
  readonly lastStatus: string;
}

export interface Supervision {
  readonly driver: AgentDriver;
  readonly work: AgentWork;
  readonly limits: AgentLimits;
  /** Values that nobody may see. */
  readonly secrets: readonly string[];
  readonly log: OutputLog;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** What the agent may use, until the attempt ends. */
  readonly makeHost: (signal: AbortSignal, isHeldUp: () => boolean) => SupervisedHost;
  /** The handle of an earlier process, to go on from. */
  readonly handle: string | undefined;
  /** After each event that says something of it. */
  readonly onProgress: (progress: AgentProgress) => void;
  /** Whether the agent may do what it asks for. */
  readonly decide: (question: PermissionAsked, asking: Asking) => Promise<boolean>;
}

type PermissionAsked = Extract<AgentEvent, { type: "permission" }>;

/** While an agent waits for an answer. */
interface Asking {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** What is left of the agent's time. */
  readonly leftMs: number;
}

export type BrokenLimit =
  | { readonly is: "memory" | "contained"; readonly error: Failure }
  /** Its programs do nothing. */
  | { readonly is: "stalled" };

/** A host that knows whether the agent's programs broke a limit, and ends them. */
export interface SupervisedHost extends AgentHost {
  /** Fulfilled when a program broke a limit; never fails. */
  readonly broken: Promise<BrokenLimit>;
  /** When something of it was last seen working. */
  readonly lastActivityMs: () => number;
  /** Ends everything that was started, and waits until it is gone. */
  end(): Promise<void>;
}

export interface Supervised {
  readonly outcome: AgentOutcome;
  readonly progress: AgentProgress;
}

const looksPerIdle = 10;
const goodbyeMs = 1_000;

/** Lets an agent work within its limits, and ends it when one is reached or its result is no longer wanted. */
export async function supervise(supervision: Supervision): Promise<Supervised> {
  const watch = new Watch(supervision);
  return watch.run();
}

/** Why an agent is ended before it has ended by itself. */
type Reason = Exclude<AgentOutcome, { is: "completed" }>;

class Watch {
  readonly #supervision: Supervision;
  readonly #stop = new AbortController();
  readonly #reason = Promise.withResolvers<Reason>();
  readonly #host: SupervisedHost;
  readonly #maskers: StreamMaskers;
  #lastStatus = "started";
  #lastEventMs = performance.now();
  readonly #startedAtMs = performance.now();
  /** What it has asked and nobody has answered. */
  readonly #asked = new Set<Promise<void>>();
  #usage = unknownUsage;

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
    this.#host = supervision.makeHost(this.#stop.signal, () => this.#asked.size > 0);
    this.#maskers = { stdout: new Masker(supervision.secrets), stderr: new Masker(supervision.secrets) };
  }

  async run(): Promise<Supervised> {
    const { driver, work, limits, signal, handle } = this.#supervision;
    const timer = setTimeout(() => this.#end(this.#timedOut()), limits.minutes * limits.minuteMs);
    const { idleMs } = limits;
    const idleTimer =
      idleMs === undefined ? undefined : setInterval(() => this.#checkIdle(idleMs), idleMs / looksPerIdle);
    const onAbort = () => this.#end({ is: "cancelled" });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    void this.#host.broken.then((limit) => this.#end(limit.is === "stalled" ? this.#stalled() : limit));
    try {
      const resumed = handle !== undefined && driver.resume !== undefined;
      const run = resumed ? driver.resume!(handle, work, this.#host) : driver.start(work, this.#host);
      const listening = this.#listen(run);
      const ended = await Promise.race([run.result.then((report) => this.#outcomeOf(report)), this.#reason.promise]);
      if (ended.is !== "completed" && ended.is !== "failed") {
        run.cancel();
        // It may say goodbye, as its protocol has it.
        await Promise.race([run.result, delay(goodbyeMs, undefined, { ref: false })]);
      } else await Promise.race([listening, delay(goodbyeMs, undefined, { ref: false })]);
      // A limit that was reached in the end still counts.
      const outcome = await Promise.race([this.#reason.promise, Promise.resolve(ended)]);
      if ("error" in outcome && isLogged(work.document.debug, "error"))
        this.#supervision.log.write(`${outcome.error.message}\n`);
      return { outcome, progress: this.#progress() };
    } finally {
      clearTimeout(timer);
      clearInterval(idleTimer);
      signal.removeEventListener("abort", onAbort);
      this.#stop.abort();
      await this.#host.end();
      await Promise.all(this.#asked);
      for (const [stream, masker] of Object.entries(this.#maskers)) {
        const rest = { type: "log", stream: stream as keyof StreamMaskers, text: masker.end() } as const;
        this.#supervision.log.write(lineOf(work.document.debug, rest));
      }
      this.#supervision.log.end();
    }
  }

  async #listen(run: AgentRun): Promise<void> {
    for await (const event of run.events) {
      this.#lastEventMs = performance.now();
      this.#note(maskEvent(this.#maskers, event), run);
      if (["status", "tool", "usage"].includes(event.type)) this.#supervision.onProgress(this.#progress());
    }
  }

  #note(event: AgentEvent, run: AgentRun): void {
    const { log, work } = this.#supervision;
    log.write(lineOf(work.document.debug, event));
    switch (event.type) {
      case "status":
        this.#lastStatus = event.text.slice(0, 500);
        return;
      case "tool":
        if (!event.isDone) this.#lastStatus = `${event.name} ${event.detail}`.slice(0, 500);
        return;
      case "usage":
        this.#count(event);
        return;
      case "permission":
        this.#ask(event, run);
        return;
      case "log":
      case "message":
      case "plan":
      case "file":
      case "resource":
      case "checkpoint":
        return;
    }
  }

  #ask(question: PermissionAsked, run: AgentRun): void {
    const { limits, decide, log } = this.#supervision;
    const leftMs = limits.minutes * limits.minuteMs - (performance.now() - this.#startedAtMs);
    const answering = decide(question, { signal: this.#stop.signal, leftMs })
      .catch(() => false)
      .then((isAllowed) => {
        this.#asked.delete(answering);
        // The time that people take is not the agent's.
        this.#lastEventMs = performance.now();
        log.write(`· ${question.title}: ${isAllowed ? "allowed" : "denied"}\n`);
        run.respond?.(question.id, isAllowed);
      });
    this.#asked.add(answering);
  }

  #count(used: Extract<AgentEvent, { type: "usage" }>): void {
    this.#usage = addUsage(this.#usage, used);
    const { limits, work } = this.#supervision;
    const broken = overBudget(this.#usage, limits);
    if (broken === undefined) return;
    const message = `Agent ${work.agentId} ${broken}`;
    this.#end({ is: "budget", error: { code: "agent_budget", message } });
  }

  #checkIdle(idleMs: number): void {
    if (this.#asked.size > 0) return;
    const last = Math.max(this.#lastEventMs, this.#host.lastActivityMs());
    if (performance.now() - last >= idleMs) this.#end(this.#stalled());
  }

  #stalled(): Reason {
    const { limits, work } = this.#supervision;
    const minutes = Math.round(((limits.idleMs ?? 0) / limits.minuteMs) * 10) / 10;
    const message = `Agent ${work.agentId} showed no activity for ${minutes} minutes. Last status: ${this.#lastStatus}`;
    return { is: "stalled", error: { code: "agent_stalled", message } };
  }

  #timedOut(): Reason {
    const { limits, work } = this.#supervision;
    const limit = `${limits.minutes} ${limits.minutes === 1 ? "minute" : "minutes"}`;
    const message = `Agent ${work.agentId} timed out after ${limit}. Last status: ${this.#lastStatus}`;
    return { is: "timeout", error: { code: "agent_timeout", message } };
  }

  #end(reason: Reason): void {
    this.#reason.resolve(reason);
  }

  /** What the agent says of itself in the end may hold a secret as well as anything before. */
  #outcomeOf(report: AgentReport): AgentOutcome {
    const masker = this.#maskers.stdout;
    if (report.is === "failed")
      return { is: "failed", error: { code: report.code, message: masker.mask(report.message) } };
    return { is: "completed", ...(report.breakdown !== undefined && { breakdown: masker.mask(report.breakdown) }) };
  }

  #progress(): AgentProgress {
    return { lastStatus: this.#lastStatus, ...this.#usage };
  }
}
