import { type Graphed, phaseGraph } from "../graph/document-graphs.ts";
import type { PlannedPhase } from "./work-plan.ts";

type NamedPhase = Pick<PlannedPhase, "name" | "kind" | "dependsOn" | "priority">;

/** The built-in phases and the document's own, in topological order. */
export function planPhases(document: Pick<Graphed, "phases">): readonly NamedPhase[] {
  const graph = phaseGraph(document);
  const work = graph.order.map((name): NamedPhase => {
    const before = [...new Set(graph.dependenciesOf(name))];
    const { priority = "medium" } = document.phases![name]!;
    return { name, kind: "work", dependsOn: before.length === 0 ? ["planning"] : before, priority };
  });
  if (work.length === 0) work.push(builtIn("implementation", "work", ["planning"]));
  const ends = sinksOf(work).map(({ name }) => name);
  return [
    builtIn("planning", "planning", []),
    ...work,
    builtIn("validation", "validation", ends),
    builtIn("deployment", "deployment", ["validation"]),
  ];
}

function builtIn(name: string, kind: PlannedPhase["kind"], dependsOn: readonly string[]): NamedPhase {
  return { name, kind, dependsOn, priority: "medium" };
}

/** The work phases that no other work phase depends on. */
export function sinksOf<P extends Pick<PlannedPhase, "name" | "kind" | "dependsOn">>(phases: readonly P[]): P[] {
  const work = phases.filter(({ kind }) => kind === "work");
  const waitedFor = new Set(work.flatMap(({ dependsOn }) => dependsOn));
  return work.filter(({ name }) => !waitedFor.has(name));
}

/** Which phases are complete before which others start. */
export class PhaseOrder {
  /** In the order of the plan. */
  readonly names: readonly string[];
  readonly #bit: ReadonlyMap<string, bigint>;
  /** The phase and all before it as bits: a document may have as many phases as a plan has tasks. */
  readonly #upTo = new Map<string, bigint>();

  constructor(phases: readonly Pick<PlannedPhase, "name" | "dependsOn">[]) {
    this.names = phases.map(({ name }) => name);
    this.#bit = new Map(this.names.map((name, index) => [name, 1n << BigInt(index)]));
    for (const { name, dependsOn } of phases) {
      const before = dependsOn.reduce((all, other) => all | this.upTo(other), 0n);
      this.#upTo.set(name, before | this.#bit.get(name)!);
    }
  }

  has(name: string): boolean {
    return this.#bit.has(name);
  }

  /** The phase and all before it, as a set for `isIn`. */
  upTo(name: string): bigint {
    return this.#upTo.get(name) ?? 0n;
  }

  isIn(name: string, set: bigint): boolean {
    return (set & (this.#bit.get(name) ?? 0n)) !== 0n;
  }

  /** Whether a task in `later` may depend on one in `earlier`: the same phase, or one that is complete before. */
  allows(earlier: string, later: string): boolean {
    return this.isIn(earlier, this.upTo(later));
  }
}
