import type { OutcomePlan } from "@slipway/blueprints";
import { PluginFailure } from "./ask-plugin.ts";

const scriptNames = ["build", "test", "start", "health_check"] as const;
const mostUnmet = 200;
const mostText = 1_000;

/** What a plugin answers for a plan, if it is one. */
export function readPlan(answer: unknown): OutcomePlan {
  const { scripts = {}, unmet = [] } = isMap(answer) ? answer : refuse("it is no map");
  if (!isMap(scripts)) return refuse("'scripts' is no map");
  if (!Array.isArray(unmet)) return refuse("'unmet' is no list");
  const odd = Object.keys(scripts).find((key) => !scriptNames.some((name) => name === key) || !isText(scripts[key]));
  if (odd !== undefined) return refuse(`'scripts.${odd}' is no text under one of ${scriptNames.join(", ")}`);
  return {
    scripts,
    unmet: unmet.slice(0, mostUnmet).map((one) => {
      if (!isMap(one) || !isText(one["pointer"]) || !isText(one["reason"]))
        return refuse("each of 'unmet' needs 'pointer' and 'reason'");
      return { pointer: one["pointer"].slice(0, mostText), reason: one["reason"].slice(0, mostText) };
    }),
  };
}

function refuse(why: string): never {
  throw new PluginFailure(`What it answers for a plan is none: ${why}.`);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
