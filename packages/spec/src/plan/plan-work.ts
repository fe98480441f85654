import { type AcceptanceLine, acceptanceLines } from "../acceptance/acceptance-lines.ts";
import { serviceGraph } from "../graph/document-graphs.ts";
import { groupBy } from "../group-by.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { nameKey, slugOf, taskIdOf } from "../slug.ts";
import { featurePhases, firstWorkPhase, keysOf, placeTasks } from "./place-tasks.ts";
import { PhaseOrder, planPhases } from "./plan-phases.ts";
import { withReviews } from "./review-tasks.ts";
import { servedByBuiltIn, servedLines } from "./serve-acceptance.ts";
import {
  assemblePlan,
  builtInTaskIds,
  defaultRoles,
  type PlannedPhase,
  type PlannedTask,
  type WorkPlan,
} from "./work-plan.ts";

/** A task in planning: it refers to its dependencies directly, because ids are chosen later. */
interface Draft {
  readonly title: string;
  readonly phase: string;
  /** The id from the document. */
  readonly id?: string | undefined;
  /** The base of its id if the document gives none. */
  readonly slug: string;
  readonly description?: string | undefined;
  readonly role?: string | undefined;
  readonly hours?: number | undefined;
  readonly dependsOn: Draft[];
  /** Keys of features and services that it covers, which need no task of their own. */
  readonly keys: readonly string[];
}

/** A task that an outcome type offers for documents that name no work themselves. */
export interface OfferedTask {
  readonly id: string;
  readonly title: string;
  readonly description?: string | undefined;
  /** Ids of tasks that are offered with it. */
  readonly depends_on?: readonly string[] | undefined;
  readonly estimated_hours?: number | undefined;
}

/**
 * Plans a resolved document: a task for each of its tasks, features and services, by phase; without any, the offered
 * tasks. The same document always gives the same plan.
 */
export function planWork(document: CompleteSpec, offered: readonly OfferedTask[] = []): WorkPlan {
  const { phases, order, lines, roles } = frameOf(document);
  const drafts = documentTasks(document, order);
  addFeatures(document, phases, drafts);
  addServices(document, order, drafts);
  if (Object.keys(document.phases ?? {}).length === 0 && drafts.length === 0)
    drafts.push(...offeredTasks(offered, order));
  addEmptyPhases(document, phases, drafts);
  const ids = chooseIds(drafts);
  const hours = spreadHours(document, drafts);
  const kindOf = new Map(phases.map(({ name, kind }) => [name, kind]));
  const unserved = drafts.map(
    (draft, index): Omit<PlannedTask, "serves"> => ({
      id: ids.get(draft)!,
      title: draft.title,
      ...(draft.description !== undefined && { description: draft.description }),
      phase: draft.phase,
      role: draft.role ?? defaultRoles[kindOf.get(draft.phase)!],
      dependsOn: draft.dependsOn.map((other) => ids.get(other)!),
      estimatedHours: hours[index]!,
    }),
  );
  const serves = servedLines(lines, phases, unserved);
  const tasks = unserved.map((task) => ({ ...task, serves: serves.get(task.id) ?? [] }));
  return assemblePlan(phases, withReviews(phases, tasks, roles), (id) => servedByBuiltIn(id, lines));
}

/** What all plans of a document have in common. */
export interface PlanFrame {
  readonly phases: readonly PlannedPhase[];
  readonly order: PhaseOrder;
  readonly lines: readonly AcceptanceLine[];
  /** The roles that the document asks for. */
  readonly roles: readonly string[];
}

export function frameOf(document: CompleteSpec): PlanFrame {
  const lines = acceptanceLines(document);
  const withAcceptance = new Set(lines.map(({ phase }) => phase));
  const phases = planPhases(document).map(
    (phase): PlannedPhase => ({ ...phase, hasAcceptance: withAcceptance.has(phase.name) }),
  );
  const roles = Object.keys(document.requirements?.agents ?? {});
  return { phases, order: new PhaseOrder(phases), lines, roles };
}

/** The ids of the tasks that the document itself names, with their titles. */
export function requiredTasks(document: CompleteSpec): ReadonlyMap<string, string> {
  const drafts = documentTasks(document, new PhaseOrder(planPhases(document)));
  return new Map([...chooseIds(drafts)].map(([{ title }, id]) => [id, title]));
}

function documentTasks(document: CompleteSpec, order: PhaseOrder): Draft[] {
  const tasks = document.tasks ?? [];
  const features = Object.entries(document.phases ?? {}).flatMap(([phase, { features }]) =>
    features.map((feature) => [phase, feature] as const),
  );
  const placed = placeTasks(tasks, order, featurePhases(features));
  const drafts = tasks.map((task, index): Draft => {
    const title = [task.title, task.id].find((text) => text !== undefined && text.trim() !== "") ?? `Task ${index + 1}`;
    return {
      title,
      phase: placed[index]!.phase,
      id: task.id,
      slug: taskIdOf({ id: undefined, title })!,
      description: task.description,
      role: task.role,
      hours: task.estimated_hours,
      dependsOn: [],
      keys: keysOf(task),
    };
  });
  for (const [index, draft] of drafts.entries()) {
    const others = [...placed[index]!.dependsOn.keys()].map((other) => drafts[other]!);
    // The parser refuses late dependencies; only ambiguous ids can lead here.
    draft.dependsOn.push(...others.filter((other) => order.allows(other.phase, draft.phase)));
  }
  return drafts;
}

/** A task for each feature, unless a task of the same phase has its name. */
function addFeatures(document: CompleteSpec, phases: readonly PlannedPhase[], drafts: Draft[]): void {
  const covered = new Set(drafts.flatMap(({ phase, keys }) => keys.map((key) => `${phase}\n${key}`)));
  for (const { name } of phases) {
    for (const feature of document.phases?.[name]?.features ?? []) {
      const key = nameKey(feature);
      if (covered.has(`${name}\n${key}`)) continue;
      covered.add(`${name}\n${key}`);
      drafts.push({ title: feature, phase: name, slug: slugOf(feature), dependsOn: [], keys: [key] });
    }
  }
}

/** A task of the first phase for each service, after those it depends on, unless a task or feature has its name. */
function addServices(document: CompleteSpec, order: PhaseOrder, drafts: Draft[]): void {
  const byKey = new Map<string, Draft>();
  for (const draft of drafts) for (const key of draft.keys) if (!byKey.has(key)) byKey.set(key, draft);
  const phase = firstWorkPhase(order);
  const graph = serviceGraph(document);
  const taskOf = new Map<string, Draft>();
  for (const name of graph.order) {
    const covering = byKey.get(nameKey(name));
    if (covering !== undefined) {
      taskOf.set(name, covering);
      continue;
    }
    const before = graph.dependenciesOf(name).map((other) => taskOf.get(other)!);
    const draft: Draft = {
      title: `Build the service ${name}`,
      phase,
      slug: slugOf(name),
      description: document.services![name]!.description,
      dependsOn: [...new Set(before)].filter((other) => order.allows(other.phase, phase)),
      keys: [],
    };
    taskOf.set(name, draft);
    drafts.push(draft);
  }
}

function offeredTasks(offered: readonly OfferedTask[], order: PhaseOrder): Draft[] {
  const phase = firstWorkPhase(order);
  const drafts = new Map(
    offered.map((task): [string, Draft] => {
      const { id, title, description, estimated_hours: hours } = task;
      return [id, { id, title, phase, slug: slugOf(title), description, hours, dependsOn: [], keys: [] }];
    }),
  );
  for (const { id, depends_on = [] } of offered)
    drafts.get(id)!.dependsOn.push(...depends_on.flatMap((name) => drafts.get(name) ?? []));
  return [...drafts.values()];
}

/** A work phase without any task gets one. */
function addEmptyPhases(document: CompleteSpec, phases: readonly PlannedPhase[], drafts: Draft[]): void {
  const used = new Set(drafts.map(({ phase }) => phase));
  for (const { name, kind } of phases) {
    if (kind !== "work" || used.has(name)) continue;
    const phase = document.phases?.[name];
    const whole = document.name.trim() === "" ? document.id : document.name;
    const title = `Build ${phase === undefined ? whole : name}`;
    const { description } = phase ?? document;
    drafts.push({ title, phase: name, slug: slugOf(title), description, dependsOn: [], keys: [] });
  }
}

/** The document's ids are kept; all others are made from names, with a number if one is taken. */
function chooseIds(drafts: readonly Draft[]): ReadonlyMap<Draft, string> {
  const ids = new Map<Draft, string>();
  const taken = new Set(builtInTaskIds);
  const next = new Map<string, number>();
  for (const draft of drafts) {
    if (draft.id === undefined || taken.has(draft.id)) continue;
    taken.add(draft.id);
    ids.set(draft, draft.id);
  }
  for (const draft of drafts) {
    if (ids.has(draft)) continue;
    const wanted = draft.id ?? draft.slug;
    let id = wanted;
    let number = next.get(wanted) ?? 2;
    for (; taken.has(id); number += 1) id = `${wanted}-${number}`;
    next.set(wanted, number);
    taken.add(id);
    ids.set(draft, id);
  }
  return ids;
}

/** The document's hours; else a share of the phase's remaining estimate; else one. */
function spreadHours(document: CompleteSpec, drafts: readonly Draft[]): readonly number[] {
  const shares = new Map<string, number>();
  for (const [phase, tasks] of groupBy(drafts, (draft) => draft.phase)) {
    const open = tasks.filter(({ hours }) => hours === undefined).length;
    const given = tasks.reduce((sum, { hours = 0 }) => sum + hours, 0);
    const left = (document.phases?.[phase]?.estimated_hours ?? 0) - given;
    if (left > 0 && open > 0) shares.set(phase, Math.max(0.01, Math.round((left / open) * 100) / 100));
  }
  return drafts.map(({ phase, hours }) => hours ?? shares.get(phase) ?? 1);
}
