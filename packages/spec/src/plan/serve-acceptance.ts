import type { AcceptanceCheck } from "../acceptance/acceptance-checks.ts";
import type { AcceptanceLine } from "../acceptance/acceptance-lines.ts";
import { groupBy } from "../group-by.ts";
import { limits } from "../limits.ts";
import { sinksOf } from "./plan-phases.ts";
import { builtInTasks, type PlannedPhase, type PlannedTask } from "./work-plan.ts";

type Unserved = Omit<PlannedTask, "serves">;

/**
 * The lines that each task serves, by task id. A line is served by the tasks of its phase (top level: of all phases)
 * with the most words in common, else by all tasks of the phase (top level: of the last phases).
 */
export function servedLines(
  lines: readonly AcceptanceLine[],
  phases: readonly PlannedPhase[],
  tasks: readonly Unserved[],
): ReadonlyMap<string, readonly string[]> {
  const served = new Map<string, string[]>(tasks.map(({ id }) => [id, []]));
  const work = new Set(phases.filter(({ kind }) => kind === "work").map(({ name }) => name));
  const last = new Set(sinksOf(phases).map(({ name }) => name));
  const workTasks = tasks.filter(({ phase }) => work.has(phase));
  const tasksOf = groupBy(workTasks, ({ phase }) => phase);
  const lastTasks = workTasks.filter(({ phase }) => last.has(phase));
  const tasksWith = indexByWord(workTasks);
  const maxServers = Math.max(1, Math.floor(limits.planServes / Math.max(1, lines.length)));
  for (const { pointer, phase, check } of lines) {
    if (isServedByDeployment({ phase, check })) continue;
    const near = nearestTasks(check, phase, tasksWith);
    const servers = near.length > 0 ? near : phase === undefined ? lastTasks : (tasksOf.get(phase) ?? []);
    for (const { id } of servers.slice(0, maxServers)) served.get(id)!.push(pointer);
  }
  return served;
}

/** The lines that a built-in task serves: only the deployment's, for what it alone can show. */
export function servedByBuiltIn(id: string, lines: readonly AcceptanceLine[]): readonly string[] {
  return id === builtInTasks.deployment.id ? lines.filter(isServedByDeployment).map(({ pointer }) => pointer) : [];
}

const shownByDeployment = ["deployment_time_max_minutes", "zero_downtime"];

function isServedByDeployment({ phase, check }: { phase?: string | undefined; check: AcceptanceCheck }): boolean {
  return phase === undefined && check.kind === "named" && shownByDeployment.includes(check.name);
}

function nearestTasks(
  check: AcceptanceCheck,
  phase: string | undefined,
  tasksWith: ReadonlyMap<string, readonly Unserved[]>,
): readonly Unserved[] {
  const common = new Map<Unserved, number>();
  for (const word of wordsOfCheck(check)) {
    const tasks = tasksWith.get(word) ?? [];
    // A word that many tasks share does not tell them apart.
    if (tasks.length > maxTasksPerWord) continue;
    for (const task of tasks) {
      if (phase === undefined || task.phase === phase) common.set(task, (common.get(task) ?? 0) + 1);
    }
  }
  const best = Math.max(...common.values());
  return [...common].filter(([, count]) => count === best).map(([task]) => task);
}

const maxTasksPerWord = 50;

function indexByWord(tasks: readonly Unserved[]): ReadonlyMap<string, readonly Unserved[]> {
  const index = new Map<string, Unserved[]>();
  for (const task of tasks) {
    for (const word of wordsOf([task.id, task.title])) {
      const known = index.get(word);
      if (known === undefined) index.set(word, [task]);
      else known.push(task);
    }
  }
  return index;
}

/** The words of a check that tell which part of the software it concerns. */
export function wordsOfCheck(check: AcceptanceCheck): ReadonlySet<string> {
  return wordsOf(textsOf(check));
}

/** The texts of a check that tell which part of the software it concerns. */
function textsOf(check: AcceptanceCheck): readonly string[] {
  switch (check.kind) {
    case "tests":
      return [check.file ?? ""];
    case "http_endpoint":
      return [withoutParameters(check.path)];
    case "service_health":
      return [check.service ?? check.endpoint];
    case "integration_test":
      return [check.name, ...check.steps.map(({ path }) => withoutParameters(path))];
    case "command":
      return [check.command];
    case "performance":
      return [check.metric];
    case "named":
      return [check.name];
  }
}

function withoutParameters(path: string): string {
  return path.replace(/\?.*$|\{[^{}]*\}|(?<=\/):\w+/gs, " ");
}

/** Words of at least three letters, without very common ones; `orders` counts as `order`. */
export function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  const words = texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  const singular = words.map((word) => (/[^s]s$/.test(word) ? word.slice(0, -1) : word));
  return new Set(singular.filter((word) => word.length > 2 && /\p{L}/u.test(word) && !commonWords.has(word)));
}

const commonWords = new Set(
  `the and for with from into that this not all are can api http https test unit integration e2e spec src lib file json
  node npm npx run get post put patch delete add new build make service time max min`.split(/\s+/),
);
