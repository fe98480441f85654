import { builtInPhases } from "../schema/work.ts";
import { checkReferences, suggestKnown } from "./references.ts";
import { itemsOf, type Rule } from "./rule.ts";

/** Tasks have ids of their own, belong to phases that exist and wait for tasks that exist. */
export const checkTasks: Rule = (context) => {
  const tasks = itemsOf(context.document.tasks);
  const phases = [...Object.keys(context.document.phases ?? {}), ...builtInPhases];
  const seen = new Set<string>();
  for (const [index, { id, phase }] of tasks) {
    if (id !== undefined && seen.has(id)) {
      const message = `Another task has the id '${id}' already.`;
      context.report("duplicate_name", ["tasks", index, "id"], message, "Give each task an id of its own.");
    }
    if (id !== undefined) seen.add(id);
    if (phase !== undefined && !phases.includes(phase)) {
      const message = `There is no phase '${phase}'.`;
      context.report("unknown_reference", ["tasks", index, "phase"], message, suggestKnown(phase, phases, "phase"));
    }
  }
  checkReferences(
    context,
    "task",
    tasks.flatMap(([index, { id, depends_on }]) =>
      id === undefined ? [] : [{ id, at: ["tasks", index], names: depends_on, key: "depends_on" }],
    ),
  );
};
