import type { CheckVerdict } from "@slipway/blueprints";
import { PluginFailure } from "./ask-plugin.ts";

const maxVerdicts = 500;
const maxText = 1_000;

/** What a plugin answers for checks, if it is an answer; each line must have its own. */
export function readVerdicts(answer: unknown, minVerdicts: number): readonly CheckVerdict[] {
  if (!Array.isArray(answer) || answer.length < minVerdicts) return refuse("there is not one for each line");
  if (answer.length > maxVerdicts) return refuse(`there are more than ${maxVerdicts}`);
  return answer.map(readVerdict);
}

function readVerdict(verdict: unknown): CheckVerdict {
  if (typeof verdict !== "object" || verdict === null) return refuse("one is no map");
  const { title, is_met, reason } = verdict as Record<string, unknown>;
  if (typeof title !== "string" || typeof is_met !== "boolean")
    return refuse("each needs 'title', a text, and 'is_met', true or false");
  if (reason !== undefined && typeof reason !== "string") return refuse("a 'reason' is no text");
  return {
    title: title.slice(0, maxText),
    is_met,
    ...(reason !== undefined && { reason: reason.slice(0, maxText) }),
  };
}

function refuse(why: string): never {
  throw new PluginFailure(`What it answers for its checks cannot be used: ${why}.`);
}
