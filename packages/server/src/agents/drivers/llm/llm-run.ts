import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../platform/errors/index.ts";
import { type NetworkLimits, waitMs } from "../../../platform/network/index.ts";
import { shortened } from "../../../platform/one-line.ts";
import type { AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { failed } from "../failed-report.ts";
import { reportDone } from "../take-breakdown.ts";
import { type AskedCall, askModel, type ModelAnswer, type ModelEndpoint, type Question } from "./ask-model.ts";
import { type DoneCall, estimateTokens, shortenTurns, type Turn } from "./history.ts";
import { instructionsFor } from "./instructions.ts";
import { ModelError } from "./model-error.ts";
import { performCall, tools } from "./tools/index.ts";
import type { ToolContext } from "./tools/tool.ts";

export interface LlmLimits {
  readonly maxSteps: number;
  /** The size of the model's context. */
  readonly contextTokens: number;
  /** How long one answer may take, from the request to its end. */
  readonly answerSeconds: number;
  readonly runSeconds: ToolContext["runSeconds"];
}

/** Dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export interface LlmRunDeps {
  readonly endpoint: ModelEndpoint;
  readonly limits: LlmLimits;
  readonly network: NetworkLimits;
  readonly price: Price | undefined;
  readonly work: AgentWork;
  readonly host: AgentHost;
}

const maxCallsAtOnce = 32;
/** The share of the context for the conversation; the rest is for the answer and for errors of the estimate. */
const usableContext = 0.7;

/** The run of a model: asks it, performs its tool calls and sends the results, until it calls no more tools. */
export class LlmRun implements AgentRun {
  readonly events = new EventQueue();
  readonly result: Promise<AgentReport>;
  readonly #deps: LlmRunDeps;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(deps: LlmRunDeps) {
    this.#deps = deps;
    this.#signal = AbortSignal.any([deps.host.signal, this.#stop.signal]);
    this.result = this.#carryOut();
  }

  cancel(): void {
    this.#stop.abort();
  }

  async #carryOut(): Promise<AgentReport> {
    try {
      this.#signal.throwIfAborted();
      return (await this.#converse()) ?? (await reportDone(this.#deps.work));
    } catch (error) {
      if (this.#signal.aborted) return failed("agent_cancelled", "The agent was asked to stop before it was done.");
      if (error instanceof ModelError) return failed(error.code, this.#withoutKey(error.message));
      return failed("agent_failed", this.#withoutKey(messageOf(error)));
    } finally {
      this.events.close();
    }
  }

  /** Returns the failure; undefined if the model says that it is done. */
  async #converse(): Promise<AgentReport | undefined> {
    const { work, limits } = this.#deps;
    const context = this.#toolContext();
    const question = { instructions: instructionsFor(work.task.role), prompt: work.prompt, tools };
    let turns: readonly Turn[] = [];
    for (let step = 1; step <= limits.maxSteps; step += 1) {
      this.#emit({ type: "status", text: `step ${step}: asking the model` });
      turns = shortenTurns(turns, this.#roomFor(question));
      const answer = await this.#askUntilAnswered({ ...question, turns });
      this.#count(answer);
      if (answer.text.trim() !== "") this.#emit({ type: "message", text: this.#withoutKey(answer.text.trim()) });
      if (answer.calls.length === 0) return failureOf(answer);
      turns = [...turns, { text: answer.text.toWellFormed(), calls: await this.#performAll(context, answer.calls) }];
    }
    return failed("agent_steps", `The agent was not done after ${limits.maxSteps} steps, which is its limit.`);
  }

  #toolContext(): ToolContext {
    const { host, work, limits } = this.#deps;
    return {
      folder: work.folder,
      host,
      signal: this.#signal,
      emit: (event) => this.#emit(event),
      whenRoom: () => this.events.whenRoom(),
      runSeconds: limits.runSeconds,
    };
  }

  /** One after the other: a command must not replace folders by links while the file tools check paths. */
  async #performAll(context: ToolContext, calls: readonly AskedCall[]): Promise<DoneCall[]> {
    const done: DoneCall[] = [];
    for (const [index, { id, name, input, problem }] of calls.entries()) {
      this.#signal.throwIfAborted();
      const refusal = index >= maxCallsAtOnce ? `Not more than ${maxCallsAtOnce} calls at once.` : problem;
      const { text, isRefused } =
        refusal === undefined ? await performCall(context, name, input) : { text: refusal, isRefused: true };
      // Cut anywhere, and of anything: endpoints refuse halves of characters.
      done.push({ id, name, input, result: text.toWellFormed(), isRefused });
    }
    return done;
  }

  async #askUntilAnswered(question: Question): Promise<ModelAnswer> {
    const { network } = this.#deps;
    let { turns } = question;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#ask({ ...question, turns });
      } catch (error) {
        if (!(error instanceof ModelError) || attempt >= network.maxAttempts) throw error;
        const isTooMuch = error.code === "model_context";
        if (!isTooMuch && !error.isTemporary) throw error;
        this.#emit({ type: "status", text: this.#withoutKey(`asking again: ${error.message}`) });
        if (isTooMuch) turns = shortenTurns(turns, estimateTokens(turns) / 2);
        else await delay(waitMs(attempt, network, error.retryAfterMs), undefined, { signal: this.#signal });
      }
    }
  }

  async #ask(question: Question): Promise<ModelAnswer> {
    const { endpoint, limits } = this.#deps;
    const timeLimit = new AbortController();
    const message = `The model's answer took longer than ${limits.answerSeconds} seconds.`;
    const tooLong = new ModelError("model_unavailable", message, { isTemporary: true });
    const timer = setTimeout(() => timeLimit.abort(tooLong), limits.answerSeconds * 1000);
    try {
      return await askModel(endpoint, question, AbortSignal.any([this.#signal, timeLimit.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  #roomFor({ instructions, prompt }: Omit<Question, "turns">): number {
    const fixed = estimateTokens([{ text: instructions + prompt, calls: [] }]);
    return Math.max(1_000, this.#deps.limits.contextTokens * usableContext - fixed);
  }

  #count({ inputTokens, outputTokens }: ModelAnswer): void {
    const { price } = this.#deps;
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

  /** Some endpoints repeat the key in their error messages. */
  #withoutKey(text: string): string {
    const { key } = this.#deps.endpoint;
    return key === undefined ? text : text.replaceAll(key, "[key]");
  }
}

function failureOf({ ending, text }: ModelAnswer): AgentReport | undefined {
  switch (ending) {
    case "complete":
      return undefined;
    case "cut off":
      return failed("agent_tokens", "The model's answer was cut off because its token limit was reached.");
    case "refused":
      return failed("agent_refused", `The model refused to go on: ${shortened(text, 300)}`);
  }
}
