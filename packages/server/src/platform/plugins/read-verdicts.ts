import type { CheckVerdict } from "@slipway/blueprints";
import { PluginFailure } from "./ask-plugin.ts";

const mostVerdicts = 500;
const mostText = 1_000;

/** What a plugin answers for checks, if it is an answer; each line must have its own. */
export function readVerdicts(answer: unknown, leastVerdicts: number): readonly CheckVerdict[] {
  if (!Array.isArray(answer) || answer.length < leastVerdicts) return refuse("there is not one for each line");
  if (answer.length > mostVerdicts) return refuse(`there are more than ${mostVerdicts}`);
  return answer.map(readVerdict);
}

function readVerdict(verdict: unknown): CheckVerdict {
  if (typeof verdict !== "object" || verdict === null) return refuse("one is no map");
  const { title, is_met, reason } = verdict as Record<string, unknown>;
  if (typeof title !== "string" || typeof is_met !== "boolean")
    return refuse("each needs 'title', a text, and 'is_met', true or false");
  if (reason !== undefined && typeof reason !== "string") return refuse("a 'reason' is no text");
  return {
    title: title.slice(0, mostText),
    is_met,
    ...(reason !== undefined && { reason: reason.slice(0, mostText) }),
  };
}

function refuse(why: string): never {
  throw new PluginFailure(`What it answers for its checks cannot be used: ${why}.`);
}
