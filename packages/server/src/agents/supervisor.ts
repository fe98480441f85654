import type { RunError } from "../lifecycle/index.ts";
import type { LogWriter } from "../logs/index.ts";
import { Masker } from "../secrets/index.ts";
import type { AgentDriver, AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "./agent-run.ts";

/** What an attempt may take. */
interface AgentLimits {
  /** Minutes, as the document says, and how long a minute is. */
  readonly minutes: number;
  readonly minuteMs: number;
  /** How long nothing may be heard of it; undefined: as long as it may take at all. */
  readonly idleMs: number | undefined;
  readonly mostTokens: number | undefined;
  readonly mostCostUsd: number | undefined;
}

/** How an attempt ended, whatever the agent says of it. */
type AgentOutcome =
  | { readonly is: "completed"; readonly breakdown?: string }
  | {
      readonly is: "failed" | "timeout" | "memory" | "stalled" | "budget" | "contained";
      readonly error: RunError;
    }
  | { readonly is: "cancelled" };

/** What an agent used, as far as it says so. */
interface AgentUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Undefined: it does not say. */
  readonly costUsd: number | undefined;
}

export interface Supervision {
  readonly driver: AgentDriver;
  readonly work: AgentWork;
  readonly limits: AgentLimits;
  /** Values that nobody may see. */
  readonly secrets: readonly string[];
  readonly log: LogWriter;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** What the agent may use, until the attempt ends. */
  readonly makeHost: (signal: AbortSignal) => SupervisedHost;
  /** The handle of an earlier process, to go on from. */
  readonly handle: string | undefined;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Whether the agent may do what it asks for. */
  readonly decide: (question: Extract<AgentEvent, { type: "permission" }>) => Promise<boolean>;
}

export interface BrokenLimit {
  readonly is: "memory" | "stalled" | "contained";
  readonly error: RunError;
}

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
  readonly usage: AgentUsage;
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
  /** Each stream by itself: the other's words may come between two halves of a secret. */
  readonly #maskers: Readonly<Record<"stdout" | "stderr", Masker>>;
  #lastStatus = "started";
  #lastEventMs = performance.now();
  #inputTokens = 0;
  #outputTokens = 0;
  #costUsd: number | undefined;

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
    this.#host = supervision.makeHost(this.#stop.signal);
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
    void this.#host.broken.then((reason) => this.#end(reason));
    try {
      const resumed = handle !== undefined && driver.resume !== undefined;
      const run = resumed ? driver.resume!(handle, work, this.#host) : driver.start(work, this.#host);
      const listening = this.#listen(run);
      const ended = await Promise.race([run.result.then(toOutcome), this.#reason.promise]);
      if (ended.is !== "completed" && ended.is !== "failed") {
        run.cancel();
        // It may say goodbye, as its protocol has it.
        await Promise.race([run.result, pause(goodbyeMs)]);
      } else await Promise.race([listening, pause(goodbyeMs)]);
      // A limit that was reached in the end still counts.
      const outcome = await Promise.race([this.#reason.promise, Promise.resolve(ended)]);
      return { outcome, usage: this.#usage() };
    } finally {
      clearTimeout(timer);
      clearInterval(idleTimer);
      signal.removeEventListener("abort", onAbort);
      this.#stop.abort();
      await this.#host.end();
      for (const masker of Object.values(this.#maskers)) this.#supervision.log.write(masker.end());
      this.#supervision.log.end();
    }
  }

  async #listen(run: AgentRun): Promise<void> {
    for await (const event of run.events) {
      this.#lastEventMs = performance.now();
      const masked = this.#masked(event);
      this.#note(masked, run);
      this.#supervision.onEvent?.(masked);
    }
  }

  #note(event: AgentEvent, run: AgentRun): void {
    const { log, decide } = this.#supervision;
    switch (event.type) {
      case "status":
        this.#lastStatus = event.text.slice(0, 500);
        log.write(`· ${event.text}\n`);
        return;
      case "log":
        log.write(event.text);
        return;
      case "message":
        log.write(`${event.text}\n`);
        return;
      case "tool":
        if (!event.isDone) this.#lastStatus = `${event.name} ${event.detail}`.slice(0, 500);
        if (!event.isDone) log.write(`→ ${event.name} ${event.detail}\n`);
        return;
      case "usage":
        this.#count(event);
        return;
      case "permission":
        void decide(event).then(
          (isAllowed) => run.respond?.(event.id, isAllowed),
          () => run.respond?.(event.id, false),
        );
        return;
      case "plan":
      case "file":
      case "resource":
      case "checkpoint":
        return;
    }
  }

  #count({ inputTokens, outputTokens, costUsd }: Extract<AgentEvent, { type: "usage" }>): void {
    const { mostTokens, mostCostUsd } = this.#supervision.limits;
    this.#inputTokens += inputTokens;
    this.#outputTokens += outputTokens;
    if (costUsd !== undefined) this.#costUsd = (this.#costUsd ?? 0) + costUsd;
    const tokens = this.#inputTokens + this.#outputTokens;
    const { agentId } = this.#supervision.work;
    if (mostTokens !== undefined && tokens > mostTokens)
      this.#end(budget(`Agent ${agentId} used ${tokens} tokens, limit was ${mostTokens}`));
    if (mostCostUsd !== undefined && (this.#costUsd ?? 0) > mostCostUsd)
      this.#end(budget(`Agent ${agentId} cost $${this.#costUsd?.toFixed(2)}, limit was $${mostCostUsd.toFixed(2)}`));
  }

  #checkIdle(idleMs: number): void {
    const { limits, work } = this.#supervision;
    const last = Math.max(this.#lastEventMs, this.#host.lastActivityMs());
    if (performance.now() - last < idleMs) return;
    const minutes = Math.round((idleMs / limits.minuteMs) * 10) / 10;
    const message = `Agent ${work.agentId} showed no activity for ${minutes} minutes. Last status: ${this.#lastStatus}`;
    this.#end({ is: "stalled", error: { code: "agent_stalled", message } });
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

  #masked(event: AgentEvent): AgentEvent {
    const masker = this.#maskers.stdout;
    switch (event.type) {
      case "status":
      case "message":
      case "checkpoint":
        return { ...event, text: masker.mask(event.text) };
      case "log":
        return { ...event, text: this.#maskers[event.stream].push(event.text) };
      case "tool":
        return { ...event, detail: masker.mask(event.detail) };
      case "permission":
        return { ...event, title: masker.mask(event.title) };
      case "plan":
        return { ...event, entries: event.entries.map((entry) => masker.mask(entry)) };
      case "file":
      case "usage":
      case "resource":
        return event;
    }
  }

  #usage(): AgentUsage {
    return { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens, costUsd: this.#costUsd };
  }
}

function toOutcome(report: AgentReport): AgentOutcome {
  if (report.is === "failed") return { is: "failed", error: { code: report.code, message: report.message } };
  return { is: "completed", ...(report.breakdown !== undefined && { breakdown: report.breakdown }) };
}

function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms).unref();
  return promise;
}

function budget(message: string): Reason {
  return { is: "budget", error: { code: "agent_budget", message } };
}
