import type { OutcomePlan } from "@slipway/blueprints";
import { builtInTaskIds, Graph } from "@slipway/spec";
import { PluginFailure } from "./ask-plugin.ts";

const scriptNames = ["build", "test", "start", "health_check"] as const;
const maxUnmet = 200;
const maxTextLength = 1_000;
const maxNameLength = 200;
const maxTasks = 200;
const maxHours = 100_000;

/** Reads the plan that a plugin returned; throws a PluginFailure where it is malformed. */
export function readPlan(answer: unknown): OutcomePlan {
  const { scripts = {}, unmet = [], tasks = [] } = isMap(answer) ? answer : refuse("it is not a map");
  if (!isMap(scripts)) return refuse("'scripts' is not a map");
  if (!Array.isArray(unmet)) return refuse("'unmet' is not a list");
  const odd = Object.keys(scripts).find((key) => !scriptNames.some((name) => name === key) || !isText(scripts[key]));
  if (odd !== undefined) return refuse(`'scripts.${odd}' is not a text under one of ${scriptNames.join(", ")}`);
  return {
    scripts,
    unmet: unmet.slice(0, maxUnmet).map((one) => {
      if (!isMap(one) || !isText(one["pointer"]) || !isText(one["reason"]))
        return refuse("each of 'unmet' needs 'pointer' and 'reason'");
      return { pointer: one["pointer"].slice(0, maxTextLength), reason: one["reason"].slice(0, maxTextLength) };
    }),
    tasks: readTasks(tasks),
  };
}

function readTasks(tasks: unknown): NonNullable<OutcomePlan["tasks"]> {
  if (!Array.isArray(tasks) || tasks.length > maxTasks) return refuse(`'tasks' is not a list of at most ${maxTasks}`);
  const read = tasks.map(readTask);
  const ids = new Set<string>();
  for (const { id } of read) {
    if (builtInTaskIds.includes(id)) return refuse(`a task has the id '${id}', which is built in`);
    if (ids.has(id)) return refuse(`two tasks have the id '${id}'`);
    ids.add(id);
  }
  for (const { id, depends_on } of read)
    for (const name of depends_on)
      if (!ids.has(name)) return refuse(`the task '${id}' depends on '${name}', which does not exist`);
  const [cycle] = new Graph(read.map(({ id, depends_on }) => ({ id, dependsOn: depends_on, hours: 1, rank: 0 })))
    .cycles;
  return cycle === undefined ? read : refuse(`tasks wait for each other in a circle: ${cycle.join(" → ")}`);
}

function readTask(task: unknown, index: number) {
  const at = `'tasks[${index}]`;
  if (!isMap(task)) return refuse(`${at}' is not a map`);
  const { id, title, description, depends_on = [], estimated_hours } = task;
  if (!isName(id) || !isName(title))
    return refuse(`${at}' needs 'id' and 'title', each of at most ${maxNameLength} characters`);
  if (description !== undefined && !isText(description)) return refuse(`${at}.description' is not a text`);
  if (!Array.isArray(depends_on) || !depends_on.every(isText))
    return refuse(`${at}.depends_on' is not a list of texts`);
  const isHours = typeof estimated_hours === "number" && estimated_hours > 0 && estimated_hours <= maxHours;
  if (estimated_hours !== undefined && !isHours)
    return refuse(`${at}.estimated_hours' is not a number above 0 and at most ${maxHours}`);
  return {
    id,
    title,
    depends_on,
    ...(description !== undefined && { description: description.slice(0, maxTextLength) }),
    ...(isHours && { estimated_hours }),
  };
}

function refuse(why: string): never {
  throw new PluginFailure(`Its plan cannot be used: ${why}.`);
}

function isName(value: unknown): value is string {
  return isText(value) && value.trim() !== "" && value.length <= maxNameLength;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
