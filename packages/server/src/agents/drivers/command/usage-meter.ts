import type { AgentEvent } from "../driver.ts";
import type { Used } from "./profile.ts";

interface Amount {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | undefined;
}

const nothing: Amount = { inputTokens: 0, outputTokens: 0, costUsd: undefined };
const maxMessages = 1000;
/** A line has room for a megabyte. What has a longer id counts each time that it is told. */
const maxIdLength = 200;

/** Turns the totals that tools report, for a step, a message or the whole run, into what was added each time. */
export class UsageMeter {
  #sum: Amount = nothing;
  readonly #messages = new Map<string, Amount>();

  /** The usage that is new; undefined if all of it was counted before. */
  count(used: Used): Extract<AgentEvent, { type: "usage" }> | undefined {
    const added = this.#added(used);
    if (added.inputTokens === 0 && added.outputTokens === 0 && added.costUsd === undefined) return undefined;
    const { costUsd } = added;
    this.#sum = {
      inputTokens: this.#sum.inputTokens + added.inputTokens,
      outputTokens: this.#sum.outputTokens + added.outputTokens,
      costUsd: costUsd === undefined ? this.#sum.costUsd : (this.#sum.costUsd ?? 0) + costUsd,
    };
    const { inputTokens, outputTokens } = added;
    return { type: "usage", inputTokens, outputTokens, ...(costUsd !== undefined && { costUsd }) };
  }

  #added(used: Used): Amount {
    if (used.of === "step") return used;
    if (used.of === "run") return above(used, this.#sum);
    const { message } = used.of;
    if (message.length > maxIdLength) return used;
    const before = this.#messages.get(message) ?? nothing;
    this.#messages.delete(message);
    this.#messages.set(message, used);
    if (this.#messages.size > maxMessages) this.#messages.delete(this.#messages.keys().next().value!);
    return above(used, before);
  }
}

function above(now: Amount, before: Amount): Amount {
  const costUsd = (now.costUsd ?? 0) - (before.costUsd ?? 0);
  return {
    inputTokens: Math.max(0, now.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, now.outputTokens - before.outputTokens),
    costUsd: costUsd > 0 ? costUsd : undefined,
  };
}
