import { builtInPhases } from "../schema/work.ts";
import { taskIdOf } from "../slug.ts";
import { checkReferences, suggestKnown } from "./references.ts";
import { itemsOf, type Rule } from "./rule.ts";

/** Checks that tasks have unique ids, existing phases and existing dependencies. */
export const checkTasks: Rule = (context) => {
  const tasks = itemsOf(context.document.tasks);
  const phases = new Set([...Object.keys(context.document.phases ?? {}), ...builtInPhases]);
  const seen = new Set<string>();
  for (const [index, { id, phase }] of tasks) {
    if (id !== undefined && seen.has(id)) {
      const message = `Another task already has the id '${id}'.`;
      context.report("duplicate_name", ["tasks", index, "id"], message, "Give each task a unique id.");
    }
    if (id !== undefined) seen.add(id);
    if (phase !== undefined && !phases.has(phase)) {
      const message = `There is no phase '${phase}'.`;
      const suggestion = () => suggestKnown(phase, phases, "phase");
      context.report("unknown_reference", ["tasks", index, "phase"], message, suggestion);
    }
  }
  checkReferences(
    context,
    "task",
    tasks.map(([index, task]) => ({
      id: taskIdOf(task),
      at: ["tasks", index],
      names: task.depends_on,
      key: "depends_on",
    })),
  );
};
