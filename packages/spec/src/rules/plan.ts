import { limits } from "../limits.ts";
import { describeLateDependency } from "../plan/late-dependency.ts";
import { featurePhases, placeTasks } from "../plan/place-tasks.ts";
import { PhaseOrder, planPhases } from "../plan/plan-phases.ts";
import type { SpecDocument } from "../schema/document.ts";
import { builtInPhases } from "../schema/work.ts";
import { entriesOf, itemsOf, type Rule, type RuleContext } from "./rule.ts";

/** Checks that the document can be planned: not too many tasks, and none that depends on a later phase. */
export const checkPlan: Rule = (context) => {
  if (!isTooLarge(context)) checkLateDependencies(context);
};

function isTooLarge(context: RuleContext): boolean {
  const { document } = context;
  const counts = {
    tasks: document.tasks?.length ?? 0,
    phases: entriesOf(document.phases).reduce((sum, [, { features }]) => sum + Math.max(1, features?.length ?? 0), 0),
    services: Object.keys(document.services ?? {}).length,
  };
  const total = counts.tasks + counts.phases + counts.services;
  if (total <= limits.planTasks) return false;
  const [[section, largest]] = Object.entries(counts).sort(([, a], [, b]) => b - a) as [[string, number]];
  const message = `A plan can have at most ${limits.planTasks} tasks. Tasks, features and services make ${total}, ${largest} of them here.`;
  context.report("too_many_tasks", [section], message, "Split the document into several.", "key");
  return true;
}

function checkLateDependencies(context: RuleContext): void {
  const tasks = itemsOf(context.document.tasks);
  if (!tasks.some(([, { depends_on = [] }]) => depends_on.length > 0)) return;
  const phases = Object.fromEntries(entriesOf(context.document.phases)) as NonNullable<SpecDocument["phases"]>;
  const planned = planPhases({ phases });
  const order = new PhaseOrder(planned);
  const known = new Set<string>([...order.names, ...builtInPhases]);
  const written = tasks.map(([, task]) => task);
  // Cycles of phases and unknown phases are already reported.
  if (Object.keys(phases).some((name) => !order.has(name))) return;
  if (written.some(({ phase }) => phase !== undefined && !known.has(phase))) return;
  const features = Object.entries(phases).flatMap(([phase, { features }]) =>
    itemsOf(features).map(([, feature]) => [phase, feature] as const),
  );
  const placed = placeTasks(written, order, featurePhases(features));
  for (const [at, [index, { depends_on }]] of tasks.entries()) {
    const { phase, dependsOn } = placed[at]!;
    for (const [other, position] of dependsOn) {
      const late = { id: depends_on![position]!, phase: placed[other]!.phase };
      if (order.allows(late.phase, phase)) continue;
      const { message, suggestion } = describeLateDependency(phase, late, order);
      context.report("late_dependency", ["tasks", index, "depends_on", position], message, suggestion);
    }
  }
}
