import type { CheckVerdict } from "@slipway/blueprints";
import { shortened } from "../one-line.ts";
import { PluginFailure } from "./ask-plugin.ts";

const maxVerdicts = 500;
const maxTextLength = 1_000;

/** Reads the verdicts that a plugin returned; there must be one for each line. */
export function readVerdicts(answer: unknown, minVerdicts: number): readonly CheckVerdict[] {
  if (!Array.isArray(answer) || answer.length < minVerdicts) return refuse("there is not one for each line");
  if (answer.length > maxVerdicts) return refuse(`there are more than ${maxVerdicts}`);
  return answer.map(readVerdict);
}

function readVerdict(verdict: unknown): CheckVerdict {
  if (typeof verdict !== "object" || verdict === null) return refuse("one is not a map");
  const { title, is_met, reason } = verdict as Record<string, unknown>;
  if (typeof title !== "string" || typeof is_met !== "boolean")
    return refuse("each needs 'title', a text, and 'is_met', true or false");
  if (reason !== undefined && typeof reason !== "string") return refuse("a 'reason' is not a text");
  return {
    title: shortened(title, maxTextLength),
    is_met,
    ...(reason !== undefined && { reason: shortened(reason, maxTextLength) }),
  };
}

function refuse(why: string): never {
  throw new PluginFailure(`Its verdicts cannot be used: ${why}.`);
}
