import { setTimeout as delay } from "node:timers/promises";
import { count } from "../../platform/count.ts";
import { type Failure, messageOf } from "../../platform/errors/index.ts";
import { isLogged } from "../../platform/log/index.ts";
import { oneLine, storableText } from "../../platform/one-line.ts";
import { type Masked, Masker } from "../../platform/secrets/index.ts";
import type { AgentDriver, AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "../drivers/driver.ts";
import { lineOf } from "./log-lines.ts";
import { maskEvent, type StreamMaskers } from "./mask-event.ts";
import { type AgentUsage, addUsage, overBudget, unknownUsage } from "./usage-budget.ts";

/** The limits of one attempt. */
export interface AgentLimits {
  readonly minutes: number;
  /** How long a minute is; tests shorten it. */
  readonly minuteMs: number;
  /** How long the agent may show no activity; undefined: as long as the attempt may take. */
  readonly idleMs: number | undefined;
  readonly maxTokens: number | undefined;
  readonly maxCostUsd: number | undefined;
}

/** How an attempt ended, by the supervisor's own judgement. */
type AgentOutcome =
  | { readonly is: "completed"; readonly breakdown?: string }
  | {
      readonly is: "failed" | "timeout" | "memory" | "stalled" | "budget" | "contained";
      readonly error: Failure;
    }
  | { readonly is: "cancelled" };

interface AgentProgress extends AgentUsage {
  /** The agent's latest status or tool call. */
  readonly lastStatus: string;
}

interface MaskedWriter {
  /** With the event whose line it is, also where the document's `debug` leaves the line out. */
  readonly write: (text: Masked, event?: AgentEvent) => void;
  readonly end: () => void;
  /** Resolves when more can be taken; until then, the agent waits. Left out: at any time. */
  readonly whenRoom?: () => Promise<void>;
}

export interface Supervision {
  readonly driver: AgentDriver;
  readonly work: AgentWork;
  readonly limits: AgentLimits;
  /** Values to mask in everything the agent says. */
  readonly secrets: readonly string[];
  readonly log: MaskedWriter;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Makes the host that the driver uses until the attempt ends. */
  readonly makeHost: (signal: AbortSignal, isHeldUp: () => boolean) => SupervisedHost;
  /** The handle that an earlier process saved; the run resumes from it. */
  readonly handle: string | undefined;
  /** Called after each event that changes the progress. */
  readonly onProgress: (progress: AgentProgress) => void;
  /** Decides whether the agent may do what it asks for. */
  readonly decide: (question: PermissionEvent, wait: PermissionWait) => Promise<boolean>;
}

type PermissionEvent = Extract<AgentEvent, { type: "permission" }>;

interface PermissionWait {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** What is left of the attempt's time. */
  readonly leftMs: number;
}

export type BrokenLimit =
  | { readonly is: "memory" | "contained"; readonly error: Failure }
  /** The agent's programs do nothing. */
  | { readonly is: "stalled" };

/** A host that watches the limits of the agent's programs and ends them. */
export interface SupervisedHost extends AgentHost {
  /** Resolves when a program breaks a limit; never rejects. */
  readonly broken: Promise<BrokenLimit>;
  readonly lastActivityMs: () => number;
  /** Ends every program of the run and waits until they are gone. */
  end(): Promise<void>;
}

export interface Supervised {
  readonly outcome: AgentOutcome;
  readonly progress: AgentProgress;
}

const checksPerIdle = 10;
/** People cannot answer more at once, and each question is a row, an event and a poll a second. */
const maxOpenRequests = 16;
/** How long an agent that must stop may take to end by its own protocol. */
const exitGraceMs = 1_000;
const maxGraceRounds = 10;
const maxStatusLength = 500;

/** Runs an agent within its limits, and ends it when it breaks one or nobody wants its result any more. */
export async function supervise(supervision: Supervision): Promise<Supervised> {
  return new SupervisedRun(supervision).run();
}

/** Why the supervisor ends an agent. */
type Reason = Exclude<AgentOutcome, { is: "completed" }>;

class SupervisedRun {
  readonly #supervision: Supervision;
  readonly #stop = new AbortController();
  readonly #reason = Promise.withResolvers<Reason>();
  readonly #host: SupervisedHost;
  readonly #maskers: StreamMaskers;
  #lastStatus = "started";
  #lastEventMs = performance.now();
  #isLogFull = false;
  #hasReason = false;
  readonly #startedAtMs = performance.now();
  /** Permission requests without an answer. */
  readonly #openRequests = new Set<Promise<void>>();
  #usage = unknownUsage;

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
    this.#host = supervision.makeHost(this.#stop.signal, () => this.#isHeldUp);
    const { secrets } = supervision;
    this.#maskers = { stdout: new Masker(secrets), stderr: new Masker(secrets), message: new Masker(secrets) };
  }

  async run(): Promise<Supervised> {
    const { driver, work, limits, signal, handle } = this.#supervision;
    const timer = setTimeout(() => this.#end(this.#timedOut()), limits.minutes * limits.minuteMs);
    const { idleMs } = limits;
    const idleTimer =
      idleMs === undefined ? undefined : setInterval(() => this.#checkIdle(idleMs), idleMs / checksPerIdle);
    const onAbort = () => this.#end({ is: "cancelled" });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    void this.#host.broken.then((limit) => this.#end(limit.is === "stalled" ? this.#stalled() : limit));
    try {
      const resumed = handle === undefined ? undefined : driver.resume?.(handle, work, this.#host);
      const run = resumed ?? driver.start(work, this.#host);
      const listening = this.#listen(run).catch((error: unknown) => this.#end(this.#unheard(error)));
      const ended = await Promise.race([run.result.then((report) => this.#outcomeOf(report)), this.#reason.promise]);
      if (ended.is !== "completed" && ended.is !== "failed") {
        run.cancel();
        await Promise.race([run.result, delay(exitGraceMs, undefined, { ref: false })]);
      } else await this.#hearOut(listening);
      // A limit that the agent broke at the very end still counts.
      const outcome = await Promise.race([this.#reason.promise, Promise.resolve(ended)]);
      if ("error" in outcome && isLogged(work.document.debug, "error")) this.#tell(`${outcome.error.message}\n`);
      return { outcome, progress: this.#progress() };
    } finally {
      clearTimeout(timer);
      clearInterval(idleTimer);
      signal.removeEventListener("abort", onAbort);
      this.#stop.abort();
      await this.#host.end();
      await Promise.all(this.#openRequests);
      for (const masker of Object.values(this.#maskers)) {
        const rest = { type: "log", stream: "stdout", text: masker.end() } as const;
        this.#tell(lineOf(work.document.debug, rest));
      }
      this.#supervision.log.end();
    }
  }

  /** Waits for the last events as long as they come: masking long ones takes its time, and so may the log. */
  async #hearOut(listening: Promise<void>): Promise<void> {
    let isOver = false;
    const over = listening.finally(() => {
      isOver = true;
    });
    for (let round = 0, before = -1; !isOver && round < maxGraceRounds; round += 1) {
      const waitsForLog = this.#isLogFull && !this.#hasReason;
      if (waitsForLog) round = 0;
      else if (before === this.#lastEventMs) return;
      before = this.#lastEventMs;
      await Promise.race([over, delay(exitGraceMs, undefined, { ref: false })]);
    }
  }

  async #listen(run: AgentRun): Promise<void> {
    for await (const event of run.events) {
      this.#lastEventMs = performance.now();
      this.#note(await maskEvent(this.#maskers, event), run);
      await this.#whenRoom();
      this.#lastEventMs = performance.now();
      if (["status", "tool", "usage"].includes(event.type)) this.#supervision.onProgress(this.#progress());
    }
  }

  async #whenRoom(): Promise<void> {
    this.#isLogFull = true;
    await this.#supervision.log.whenRoom?.();
    this.#isLogFull = false;
  }

  #note(event: AgentEvent, run: AgentRun): void {
    this.#tell(lineOf(this.#supervision.work.document.debug, event), event);
    switch (event.type) {
      case "status":
        this.#lastStatus = oneLine(event.text, maxStatusLength);
        return;
      case "tool":
        if (!event.isDone) this.#lastStatus = oneLine(`${event.name} ${event.detail}`, maxStatusLength);
        return;
      case "usage":
        this.#count(event);
        return;
      case "permission":
        this.#ask({ ...event, title: storableText(event.title), tool: storableText(event.tool) }, run);
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

  /** Events are masked before they are noted, and so is what the agent reports. */
  #tell(text: string, event?: AgentEvent): void {
    this.#supervision.log.write(text as Masked, event);
  }

  #ask(question: PermissionEvent, run: AgentRun): void {
    const { limits, decide } = this.#supervision;
    if (this.#openRequests.size >= maxOpenRequests) {
      this.#tell(`· ${question.title}: denied, because ${maxOpenRequests} questions wait for an answer\n`);
      run.respond?.(question.id, false);
      return;
    }
    const leftMs = limits.minutes * limits.minuteMs - (performance.now() - this.#startedAtMs);
    const answering = decide(question, { signal: this.#stop.signal, leftMs })
      .catch(() => false)
      .then((isAllowed) => {
        this.#openRequests.delete(answering);
        // The time that people take to answer does not count as idle.
        this.#lastEventMs = performance.now();
        this.#tell(`· ${question.title}: ${isAllowed ? "allowed" : "denied"}\n`);
        run.respond?.(question.id, isAllowed);
      });
    this.#openRequests.add(answering);
  }

  #count(used: Extract<AgentEvent, { type: "usage" }>): void {
    this.#usage = addUsage(this.#usage, used);
    const { limits, work } = this.#supervision;
    const broken = overBudget(this.#usage, limits);
    if (broken === undefined) return;
    const message = `Agent ${work.agentId} ${broken}`;
    this.#end({ is: "budget", error: { code: "agent_budget", message } });
  }

  /** It waits for people, or for us. */
  get #isHeldUp(): boolean {
    return this.#openRequests.size > 0 || this.#isLogFull;
  }

  #checkIdle(idleMs: number): void {
    if (this.#isHeldUp) return;
    const last = Math.max(this.#lastEventMs, this.#host.lastActivityMs());
    if (performance.now() - last >= idleMs) this.#end(this.#stalled());
  }

  #stalled(): Reason {
    const { limits, work } = this.#supervision;
    const minutes = Math.round(((limits.idleMs ?? 0) / limits.minuteMs) * 10) / 10;
    const remedy = "Raise limits.idle_minutes of the agent, or let it say what it does.";
    const message = `Agent ${work.agentId} showed no activity for ${count(minutes, "minute")}. ${remedy} Last status: ${this.#lastStatus}`;
    return { is: "stalled", error: { code: "agent_stalled", message } };
  }

  #timedOut(): Reason {
    const { limits, work } = this.#supervision;
    const limit = count(limits.minutes, "minute");
    const message = `Agent ${work.agentId} timed out after ${limit}. Last status: ${this.#lastStatus}`;
    return { is: "timeout", error: { code: "agent_timeout", message } };
  }

  /** What an agent does must not go on when nobody can follow it. */
  #unheard(error: unknown): Reason {
    const why = new Masker(this.#supervision.secrets).mask(messageOf(error));
    const message = `What the agent does could not be followed: ${why}`;
    return { is: "contained", error: { code: "internal_error", message } };
  }

  #end(reason: Reason): void {
    this.#hasReason = true;
    this.#reason.resolve(reason);
  }

  /** Masks the report too: it may hold a secret like any event before. */
  async #outcomeOf(report: AgentReport): Promise<AgentOutcome> {
    const masker = this.#maskers.stdout;
    if (report.is === "failed")
      return { is: "failed", error: { code: report.code, message: await masker.maskInSlices(report.message) } };
    if (report.breakdown === undefined) return { is: "completed" };
    return { is: "completed", breakdown: await masker.maskInSlices(report.breakdown) };
  }

  #progress(): AgentProgress {
    return { lastStatus: this.#lastStatus, ...this.#usage };
  }
}
