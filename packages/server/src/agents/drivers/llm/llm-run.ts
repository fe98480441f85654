import { realpath } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../platform/errors/index.ts";
import { type NetworkLimits, waitMs } from "../../../platform/network/index.ts";
import type { AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { reportDone } from "../take-breakdown.ts";
import { type AskedCall, askModel, type ModelAnswer, type ModelEnd, type Question } from "./ask-model.ts";
import { type BatchCommit, type DoneCall, estimateTokens, shortenTurns } from "./history.ts";
import { instructionsFor } from "./instructions.ts";
import { ModelError } from "./model-error.ts";
import { performCall, tools } from "./tools/index.ts";
import type { ToolPlace } from "./tools/tool.ts";

/** What a model may take for a task. */
export interface LlmLimits {
  readonly maxSteps: number;
  /** How much the model can be told at once. */
  readonly contextTokens: number;
  /** How long one answer may take, from the question to its end. */
  readonly answerSeconds: number;
  readonly runSeconds: ToolPlace["runSeconds"];
}

/** Dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export interface LlmRunDeps {
  readonly end: ModelEnd;
  readonly limits: LlmLimits;
  readonly network: NetworkLimits;
  readonly price: Price | undefined;
  readonly work: AgentWork;
  readonly host: AgentHost;
}

const maxCallsAtOnce = 32;
/** What of the context is for the conversation; the rest for the answer, and for what was estimated wrong. */
const usableContext = 0.7;

/** A model at work: asked what to do, done what it asks for, told what came of it, until it asks for nothing more. */
export class LlmRun implements AgentRun {
  readonly events = new EventQueue<AgentEvent>();
  readonly result: Promise<AgentReport>;
  readonly #parts: LlmRunDeps;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(parts: LlmRunDeps) {
    this.#parts = parts;
    this.#signal = AbortSignal.any([parts.host.signal, this.#stop.signal]);
    this.result = this.#carryOut();
  }

  cancel(): void {
    this.#stop.abort();
  }

  async #carryOut(): Promise<AgentReport> {
    try {
      this.#signal.throwIfAborted();
      return (await this.#converse()) ?? (await reportDone(this.#parts.work));
    } catch (error) {
      if (this.#signal.aborted) return failed("agent_cancelled", "The agent was asked to stop before it was done.");
      if (error instanceof ModelError) return failed(error.code, this.#withoutKey(error.message));
      return failed("agent_failed", this.#withoutKey(messageOf(error)));
    } finally {
      this.events.close();
    }
  }

  /** Says why it failed; nothing: the model says that it is done. */
  async #converse(): Promise<AgentReport | undefined> {
    const { work, limits } = this.#parts;
    const place = await this.#place();
    const question = { instructions: instructionsFor(work.task.role), prompt: work.prompt, tools };
    let turns: readonly BatchCommit[] = [];
    for (let step = 1; step <= limits.maxSteps; step += 1) {
      this.#emit({ type: "status", text: `step ${step}: asking the model` });
      turns = shortenTurns(turns, this.#roomFor(question));
      const answer = await this.#askUntilAnswered({ ...question, turns });
      this.#count(answer);
      if (answer.text.trim() !== "") this.#emit({ type: "message", text: this.#withoutKey(answer.text.trim()) });
      if (answer.calls.length === 0) return failureOf(answer);
      turns = [...turns, { text: answer.text, calls: await this.#performAll(place, answer.calls) }];
    }
    return failed("agent_steps", `The agent was not done after ${limits.maxSteps} steps, which is its limit.`);
  }

  async #place(): Promise<ToolPlace> {
    const { host, work, limits } = this.#parts;
    return {
      folder: await realpath(work.folder),
      host,
      signal: this.#signal,
      emit: (event) => this.#emit(event),
      runSeconds: limits.runSeconds,
    };
  }

  /** One after the other: see what `run` says about links. */
  async #performAll(place: ToolPlace, calls: readonly AskedCall[]): Promise<DoneCall[]> {
    const done: DoneCall[] = [];
    for (const [index, { id, name, input, problem }] of calls.entries()) {
      this.#signal.throwIfAborted();
      const refusal = index >= maxCallsAtOnce ? `Not more than ${maxCallsAtOnce} calls at once.` : problem;
      const { text, isRefused } =
        refusal === undefined ? await performCall(place, name, input) : { text: refusal, isRefused: true };
      done.push({ id, name, input, result: text, isRefused });
    }
    return done;
  }

  async #askUntilAnswered(question: Question): Promise<ModelAnswer> {
    const { network } = this.#parts;
    let { turns } = question;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#ask({ ...question, turns });
      } catch (error) {
        if (!(error instanceof ModelError) || attempt >= network.maxAttempts) throw error;
        const isTooMuch = error.code === "model_context";
        if (!isTooMuch && !error.isPassing) throw error;
        this.#emit({ type: "status", text: this.#withoutKey(`asking again: ${error.message}`) });
        if (isTooMuch) turns = shortenTurns(turns, estimateTokens(turns) / 2);
        else await delay(waitMs(attempt, network, error.retryAfterMs), undefined, { signal: this.#signal });
      }
    }
  }

  async #ask(question: Question): Promise<ModelAnswer> {
    const { end, limits } = this.#parts;
    const timeLimit = new AbortController();
    const message = `The model's answer took longer than ${limits.answerSeconds} seconds.`;
    const tooLong = new ModelError("model_unavailable", message, { isPassing: true });
    const timer = setTimeout(() => timeLimit.abort(tooLong), limits.answerSeconds * 1000);
    try {
      return await askModel(end, question, AbortSignal.any([this.#signal, timeLimit.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  #roomFor({ instructions, prompt }: Omit<Question, "turns">): number {
    const fixed = estimateTokens([{ text: instructions + prompt, calls: [] }]);
    return Math.max(1_000, this.#parts.limits.contextTokens * usableContext - fixed);
  }

  #count({ inputTokens, outputTokens }: ModelAnswer): void {
    const { price } = this.#parts;
    if (inputTokens === undefined && outputTokens === undefined) return;
    const input = inputTokens ?? 0;
    const output = outputTokens ?? 0;
    const costUsd = price && (input * price.input + output * price.output) / 1e6;
    this.#emit({
      type: "usage",
      inputTokens: input,
      outputTokens: output,
      ...(costUsd !== undefined && { costUsd }),
    });
  }

  #emit(event: AgentEvent): void {
    this.events.push(event);
  }

  /** Some endpoints repeat in their complaint what they were given. */
  #withoutKey(text: string): string {
    const { key } = this.#parts.end;
    return key === undefined ? text : text.replaceAll(key, "[key]");
  }
}

function failureOf({ ending, text }: ModelAnswer): AgentReport | undefined {
  switch (ending) {
    case "said":
      return undefined;
    case "cut off":
      return failed("agent_tokens", "The model's answer was cut off because its token limit was reached.");
    case "refused":
      return failed("agent_refused", `The model refused to go on: ${text.slice(0, 300)}`);
  }
}

function failed(code: string, message: string): AgentReport {
  return { is: "failed", code, message };
}
