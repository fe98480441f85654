import { type BuildTask, findOutcomeType, type OutcomePlan } from "@slipway/blueprints";
import type { CompleteSpec } from "@slipway/spec";
import { BoundedThread, type ThreadBounds } from "../../../platform/bounded-thread.ts";
import { PluginFailure } from "../../../platform/plugins/index.ts";

export interface OutcomeQuestion {
  readonly document: CompleteSpec;
  /** What is to be built; without it, the plan is asked for. */
  readonly task?: BuildTask;
}

export interface OutcomeAnswer {
  readonly plan?: OutcomePlan;
  readonly files?: readonly BuiltFile[];
}

export interface BuiltFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly isExecutable: boolean;
}

/** Many times what the largest document takes whose parts are all of use. */
const defaults: ThreadBounds = { cpuLimitMs: 20_000, heapMb: 768, idleMs: 300_000 };

/**
 * The built-in outcome types, in threads: patterns, expressions and rules that a stranger wrote may take for ever, or all the
 * memory there is. There are two, so that one such document does not hold up everybody else's.
 */
export class OutcomeTypes {
  readonly #threads: { readonly thread: BoundedThread<OutcomeQuestion, OutcomeAnswer>; inFlight: number }[];

  constructor(bounds: Partial<ThreadBounds> = {}) {
    const entry = new URL("./outcome-thread.ts", import.meta.url);
    const newThread = () => ({
      thread: new BoundedThread<OutcomeQuestion, OutcomeAnswer>(entry, { ...defaults, ...bounds }),
      inFlight: 0,
    });
    this.#threads = [newThread(), newThread()];
  }

  /** What a built-in type would make of a document; undefined if none defines the document's type. */
  async plan(document: CompleteSpec): Promise<OutcomePlan | undefined> {
    if (findOutcomeType(document.outcome_type) === undefined) return undefined;
    return (await this.#ask({ document }, new AbortController().signal)).plan;
  }

  /** The files of a task by a built-in type; undefined if none defines the document's type. */
  async build(document: CompleteSpec, task: BuildTask, signal: AbortSignal): Promise<readonly BuiltFile[] | undefined> {
    if (findOutcomeType(document.outcome_type) === undefined) return undefined;
    return (await this.#ask({ document, task }, signal)).files;
  }

  async #ask(question: OutcomeQuestion, signal: AbortSignal): Promise<OutcomeAnswer> {
    const freest = this.#threads.reduce((best, one) => (one.inFlight < best.inFlight ? one : best));
    freest.inFlight += 1;
    try {
      const answered = await freest.thread.ask(question, signal);
      if ("answer" in answered) return answered.answer;
      throw new PluginFailure(`The built-in agent cannot build from this document: it ${answered.error}.`);
    } finally {
      freest.inFlight -= 1;
    }
  }
}
