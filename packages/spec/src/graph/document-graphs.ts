import type { SpecDocument } from "../schema/document.ts";
import { priorities } from "../schema/work.ts";
import { taskIdOf } from "../slug.ts";
import { Graph } from "./graph.ts";

/** The parts of a document that graphs are made of. */
export type Graphed = Pick<SpecDocument, "phases" | "services" | "tasks">;

/** The graph of the document's phases. A phase takes its estimate, else its tasks' hours and one per feature. */
export function phaseGraph(document: Graphed): Graph {
  const taskHours = new Map<string, number>();
  for (const { phase, estimated_hours = 1 } of document.tasks ?? []) {
    if (phase !== undefined) taskHours.set(phase, (taskHours.get(phase) ?? 0) + estimated_hours);
  }
  return new Graph(
    Object.entries(document.phases ?? {}).map(([id, phase]) => ({
      id,
      dependsOn: phase.depends_on ?? [],
      hours: phase.estimated_hours ?? Math.max(1, (taskHours.get(id) ?? 0) + (phase.features?.length ?? 0)),
      rank: priorities.indexOf(phase.priority ?? "medium"),
    })),
  );
}

/** The graph of the document's services. */
export function serviceGraph(document: Graphed): Graph {
  return new Graph(
    Object.entries(document.services ?? {}).map(([id, service]) => ({
      id,
      dependsOn: service.dependencies ?? [],
      hours: 1,
      rank: 0,
    })),
  );
}

/** The graph of the tasks that the document names. */
export function taskGraph(document: Graphed): Graph {
  return new Graph(
    (document.tasks ?? []).flatMap(({ depends_on = [], estimated_hours = 1, ...task }) => {
      const id = taskIdOf(task);
      return id === undefined ? [] : [{ id, dependsOn: depends_on, hours: estimated_hours, rank: 0 }];
    }),
  );
}

export interface EventFlow {
  readonly event: string;
  readonly publishers: readonly string[];
  readonly consumers: readonly string[];
}

/** The publishers and consumers of each event. */
export function eventFlows(document: Graphed): readonly EventFlow[] {
  const flows = new Map<string, { event: string; publishers: string[]; consumers: string[] }>();
  const flow = (event: string) => {
    const known = flows.get(event) ?? { event, publishers: [], consumers: [] };
    flows.set(event, known);
    return known;
  };
  for (const [name, service] of Object.entries(document.services ?? {})) {
    for (const event of service.events_published ?? []) flow(event).publishers.push(name);
    for (const event of service.events_consumed ?? []) flow(event).consumers.push(name);
  }
  return [...flows.values()];
}
