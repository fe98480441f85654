import { limits } from "../limits.ts";
import { mergeEnvironment } from "../resolve-spec.ts";
import type { SpecDocument } from "../schema/document.ts";
import { checkOutcomeTypes } from "./outcome-types.ts";
import { checkPhases } from "./phases.ts";
import { checkPlan } from "./plan.ts";
import { type DraftDocument, entriesOf, type Keys, type Rule } from "./rule.ts";
import { checkServices } from "./services.ts";
import { checkTasks } from "./tasks.ts";

const rulesOf = {
  phases: [checkPhases, checkTasks, checkPlan],
  tasks: [checkTasks, checkPlan],
  services: [checkServices, checkOutcomeTypes, checkPlan],
} as const;

/** Checks phases, tasks and services again as each environment overrides them. */
export const checkMergedEnvironments: Rule = (context) => {
  let left: number = limits.mergedValues;
  for (const [name, block] of entriesOf(context.document.environments)) {
    const overridden = (Object.keys(rulesOf) as (keyof typeof rulesOf)[]).filter(
      (section) => block[section] !== undefined,
    );
    if (overridden.length === 0) continue;
    const merged = mergeEnvironment(context.document as SpecDocument, name) as DraftDocument;
    left -= valuesIn([merged.phases, merged.tasks, merged.services]);
    if (left < 0) {
      const message = "With every environment merged in, there are too many phases, tasks and services.";
      return context.report("too_many_entries", ["environments"], message, "Override them in fewer environments.");
    }
    const inEnvironment = context.merged(merged, (at) => placeOf(at, name, block));
    for (const rule of new Set(overridden.flatMap((section) => rulesOf[section]))) rule(inEnvironment);
  }
};

/** The position in the environment, if the environment sets the value; else the inherited one at the top level. */
function placeOf(at: Keys, environment: string, block: object): Keys {
  let value: unknown = block;
  let depth = 0;
  while (depth < at.length && typeof value === "object" && value !== null && Object.hasOwn(value, at[depth]!)) {
    value = (value as Record<string | number, unknown>)[at[depth]!];
    depth += 1;
  }
  return depth === at.length ? ["environments", environment, ...at] : at;
}

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((count: number, inner) => count + valuesIn(inner), 1);
}
