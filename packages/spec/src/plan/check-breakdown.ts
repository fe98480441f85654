import { nearest } from "../check/nearest.ts";
import { limits } from "../limits.ts";
import { checkReferences, suggestKnown } from "../rules/references.ts";
import { type Draft, itemsOf, type Reporter } from "../rules/rule.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { valueAt } from "../value-at.ts";
import { shorten } from "../yaml/shorten.ts";
import type { Breakdown } from "./breakdown-shape.ts";
import { describeLateDependency } from "./late-dependency.ts";
import { type PlanFrame, requiredTasks } from "./plan-work.ts";
import { builtInTaskIds, defaultRoles, restRole, type WorkPlan } from "./work-plan.ts";

/** A task as written, without its invalid values. */
type DraftTask = Draft<Breakdown["tasks"][number]>;
type Written = readonly [index: number, task: DraftTask];

/** Checks the tasks of a breakdown against each other and against their document. */
export function checkBreakdown(
  reporter: Reporter,
  list: readonly (DraftTask | undefined)[],
  document: CompleteSpec,
  frame: PlanFrame,
): void {
  if (list.length > limits.planTasks) {
    const message = `A plan can have at most ${limits.planTasks} tasks. This one has ${list.length}.`;
    reporter.report("too_many_tasks", ["tasks"], message, "Make fewer and larger tasks.", "key");
    return;
  }
  const tasks = itemsOf(list);
  checkIds(reporter, tasks);
  checkPhases(reporter, tasks, frame);
  checkRoles(reporter, tasks, document);
  checkDependencies(reporter, tasks, frame);
  checkServes(reporter, tasks, document, frame);
  // What is missing is known only if everything was read.
  if (list.every((task) => task?.phase !== undefined)) checkNoneEmpty(reporter, tasks, frame);
  if (list.every((task) => task?.id !== undefined)) checkRequired(reporter, tasks, document);
}

/** Reports acceptance lines that no task serves. */
export function checkAllServed(reporter: Reporter, plan: WorkPlan, { lines }: PlanFrame): void {
  const served = new Set(plan.tasks.flatMap(({ serves }) => serves));
  for (const { pointer } of lines) {
    if (served.has(pointer)) continue;
    const message = `No task serves the acceptance line '${pointer}'.`;
    reporter.report("acceptance_not_served", ["tasks"], message, "Add it to the 'serves' of a task.", "key");
  }
}

function checkIds(reporter: Reporter, tasks: readonly Written[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of tasks) {
    if (id === undefined) continue;
    const at = ["tasks", index, "id"];
    if (builtInTaskIds.includes(id)) {
      const message = `'${id}' is a built-in task that every plan has.`;
      reporter.report("reserved_name", at, message, "Remove the task, or give it another id.");
    } else if (seen.has(id)) {
      const message = `Another task already has the id '${shorten(id)}'.`;
      reporter.report("duplicate_name", at, message, "Give each task a unique id.");
    }
    seen.add(id);
  }
}

function checkPhases(reporter: Reporter, tasks: readonly Written[], { phases }: PlanFrame): void {
  const open = phases.filter(({ kind }) => kind !== "planning").map(({ name }) => name);
  for (const [index, { phase }] of tasks) {
    if (phase === undefined || open.includes(phase)) continue;
    const message =
      phase === "planning"
        ? "The phase 'planning' ends when the plan is made."
        : `There is no phase '${shorten(phase)}'.`;
    reporter.report("unknown_reference", ["tasks", index, "phase"], message, () => suggestKnown(phase, open, "phase"));
  }
}

/** Every work phase has a task. */
function checkNoneEmpty(reporter: Reporter, tasks: readonly Written[], { phases }: PlanFrame): void {
  const used = new Set(tasks.map(([, { phase }]) => phase));
  for (const { name, kind } of phases) {
    if (kind !== "work" || used.has(name)) continue;
    const message = `The phase '${shorten(name)}' has no task.`;
    reporter.report("empty_phase", ["tasks"], message, `Add a task with 'phase: ${shorten(name)}'.`, "key");
  }
}

/** A role is any word, but one that nearly equals another is probably misspelled. */
function checkRoles(reporter: Reporter, tasks: readonly Written[], document: CompleteSpec): void {
  const known = new Set<string>([
    ...Object.values(defaultRoles),
    restRole,
    ...Object.keys(document.requirements?.agents ?? {}),
    ...(document.tasks ?? []).flatMap(({ role }) => role ?? []),
  ]);
  for (const [index, { role }] of tasks) {
    if (role === undefined || known.has(role)) continue;
    const meant = nearest(role, known);
    if (meant === undefined) continue;
    const message = `The role '${shorten(role)}' is not used elsewhere.`;
    reporter.report("unsure_reference", ["tasks", index, "role"], message, `Did you mean '${meant}'?`);
  }
}

function checkDependencies(reporter: Reporter, tasks: readonly Written[], { order }: PlanFrame): void {
  const isBuiltIn = (name: string | undefined) => name !== undefined && builtInTaskIds.includes(name);
  for (const [index, { depends_on }] of tasks) {
    for (const [at, name] of itemsOf(depends_on).filter(([, name]) => isBuiltIn(name))) {
      const message = `'${name}' is a built-in task. The order of the phases decides what depends on it.`;
      reporter.report("reserved_name", ["tasks", index, "depends_on", at], message, "Remove it from the list.");
    }
  }
  checkReferences(
    reporter,
    "task",
    tasks.map(([index, { id, depends_on }]) => {
      const names = depends_on?.map((name) => (isBuiltIn(name) ? undefined : name));
      return { id, at: ["tasks", index], names, key: "depends_on" };
    }),
  );
  const phaseOf = new Map(tasks.map(([, { id, phase }]) => [id, phase]));
  for (const [index, { phase, depends_on }] of tasks) {
    for (const [at, name] of itemsOf(depends_on)) {
      const otherPhase = phaseOf.get(name);
      if (phase === undefined || otherPhase === undefined || !order.has(phase) || !order.has(otherPhase)) continue;
      if (order.allows(otherPhase, phase)) continue;
      const { message, suggestion } = describeLateDependency(phase, { id: name, phase: otherPhase }, order);
      reporter.report("late_dependency", ["tasks", index, "depends_on", at], message, suggestion);
    }
  }
}

/** A task serves lines of acceptance, or any other value of the document. */
function checkServes(
  reporter: Reporter,
  tasks: readonly Written[],
  document: CompleteSpec,
  { lines }: PlanFrame,
): void {
  const pointers = new Set(lines.map(({ pointer }) => pointer));
  for (const [index, { serves }] of tasks) {
    const seen = new Set<string>();
    for (const [at, pointer] of itemsOf(serves)) {
      const place = ["tasks", index, "serves", at];
      if (!pointers.has(pointer) && valueAt(document, pointer) === undefined) {
        const message = `The document has no line '${shorten(pointer)}'.`;
        const suggestion = () => suggestKnown(pointer, pointers, "acceptance line");
        reporter.report("unknown_reference", place, message, suggestion);
      } else if (seen.has(pointer)) {
        reporter.report("repeated_entry", place, `'${shorten(pointer)}' is already in the list.`, "Remove it.");
      }
      seen.add(pointer);
    }
  }
}

/** The tasks that the document names are in the plan. */
function checkRequired(reporter: Reporter, tasks: readonly Written[], document: CompleteSpec): void {
  const there = new Set(tasks.map(([, { id }]) => id));
  for (const [id, title] of requiredTasks(document)) {
    if (there.has(id)) continue;
    const message = `The document's task '${shorten(id)}' (${shorten(title)}) is not in the plan.`;
    reporter.report("missing_task", ["tasks"], message, `Add a task with 'id: ${shorten(id)}'.`, "key");
  }
}
