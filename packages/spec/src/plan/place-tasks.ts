import { Graph } from "../graph/graph.ts";
import { nameKey, taskIdOf } from "../slug.ts";
import type { PhaseOrder } from "./plan-phases.ts";

/** A task as a document writes it; anything may be missing. */
interface WrittenTask {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly phase?: string | undefined;
  readonly depends_on?: readonly (string | undefined)[] | undefined;
}

interface PlacedTask {
  readonly phase: string;
  /** Indexes of tasks, each with its index in `depends_on`. */
  readonly dependsOn: Dependencies;
}

type Dependencies = ReadonlyMap<number, number>;

/**
 * Assigns a phase to each task of a document. Without a valid phase of its own, it is the phase with a feature of the
 * task's name, else the first phase that satisfies its dependencies and its dependents.
 */
export function placeTasks(
  tasks: readonly WrittenTask[],
  order: PhaseOrder,
  phaseOfFeature: ReadonlyMap<string, string>,
): readonly PlacedTask[] {
  const dependencies = withoutCircles(dependenciesOf(tasks));
  const given = tasks.map((task) => givenPhase(task, order, phaseOfFeature));
  const sequence = sequenceOf(dependencies);
  const bounds = boundsFromDependents(dependencies, given, sequence, order);
  const phases = given.map((phase) => phase ?? firstWorkPhase(order));
  const candidates = order.names.slice(1);
  for (const at of sequence) {
    if (given[at] !== undefined) continue;
    const fits = (phase: string) => [...dependencies[at]!.keys()].every((other) => order.allows(phases[other]!, phase));
    const bound = bounds[at];
    const isBounded = (phase: string) => bound === undefined || order.isIn(phase, bound);
    // The last phase comes after all others, so one always fits.
    phases[at] = candidates.find((phase) => fits(phase) && isBounded(phase)) ?? candidates.find(fits)!;
  }
  return phases.map((phase, index) => ({ phase, dependsOn: dependencies[index]! }));
}

export function firstWorkPhase(order: PhaseOrder): string {
  return order.names[1]!;
}

/** The phase of each feature, by the feature's key; the first of several wins. */
export function featurePhases(features: Iterable<readonly [phase: string, feature: string]>): Map<string, string> {
  const phases = new Map<string, string>();
  for (const [phase, feature] of features) {
    const key = nameKey(feature);
    if (!phases.has(key)) phases.set(key, phase);
  }
  return phases;
}

/** Keys under which a task may stand for a feature or service. */
export function keysOf({ id, title }: WrittenTask): readonly string[] {
  return [id, title].flatMap((name) => (name === undefined ? [] : [nameKey(name)]));
}

function givenPhase(
  task: WrittenTask,
  order: PhaseOrder,
  phaseOfFeature: ReadonlyMap<string, string>,
): string | undefined {
  // No task runs before the plan exists, and `implementation` does not exist if the document has its own phases.
  if (task.phase !== undefined && task.phase !== "planning" && order.has(task.phase)) return task.phase;
  return keysOf(task).flatMap((key) => phaseOfFeature.get(key) ?? [])[0];
}

/** A given id wins over one made from a title, and the first of several wins. */
function dependenciesOf(tasks: readonly WrittenTask[]): readonly Dependencies[] {
  const byName = new Map<string, number>();
  for (const [index, { id }] of tasks.entries()) if (id !== undefined && !byName.has(id)) byName.set(id, index);
  for (const [index, task] of tasks.entries()) {
    const id = taskIdOf(task);
    if (id !== undefined && !byName.has(id)) byName.set(id, index);
  }
  return tasks.map(({ depends_on = [] }, index) => {
    const found = new Map<number, number>();
    for (const [at, name] of depends_on.entries()) {
      const other = name === undefined ? undefined : byName.get(name);
      if (other !== undefined && other !== index && !found.has(other)) found.set(other, at);
    }
    return found;
  });
}

/** Equal titles can make cycles that no rule reports. There a task depends only on those written before it. */
function withoutCircles(dependencies: readonly Dependencies[]): readonly Dependencies[] {
  const free = new Set(sequenceOf(dependencies));
  if (free.size === dependencies.length) return dependencies;
  return dependencies.map((others, index) => {
    return new Map([...others].filter(([other]) => free.has(other) || other < index));
  });
}

/** Indexes in topological order; members of cycles are left out. */
function sequenceOf(dependencies: readonly Dependencies[]): readonly number[] {
  const graph = new Graph(
    dependencies.map((others, index) => {
      return { id: String(index), dependsOn: [...others.keys()].map(String), hours: 1, rank: 0 };
    }),
  );
  return graph.order.map(Number);
}

/** The phases in which each task finishes before its dependents start; undefined for any phase. */
function boundsFromDependents(
  dependencies: readonly Dependencies[],
  given: readonly (string | undefined)[],
  sequence: readonly number[],
  order: PhaseOrder,
): readonly (bigint | undefined)[] {
  const bounds: (bigint | undefined)[] = dependencies.map(() => undefined);
  for (const at of sequence.toReversed()) {
    const phase = given[at];
    const bound = phase === undefined ? bounds[at] : order.upTo(phase);
    if (bound === undefined) continue;
    for (const other of dependencies[at]!.keys()) bounds[other] = (bounds[other] ?? bound) & bound;
  }
  return bounds;
}
