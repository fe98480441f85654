/** Phases in a diamond with a tail, each with these tasks; their titles say what their agents do. */
export interface WrittenProject {
  readonly document: string;
  /** Phase by phase: the ids of its tasks. */
  readonly phases: Readonly<Record<string, readonly string[]>>;
  readonly dependsOn: Readonly<Record<string, readonly string[]>>;
  /** How often each fails on the way; the others do not. */
  readonly failures: Readonly<Record<string, number>>;
  /** The task that ends the project, if one does. */
  readonly failsAt?: string;
  /** Left out: it ends once, as `failsAt` says. */
  readonly endings?: readonly ("deployed" | "failed")[];
}

const order: Readonly<Record<string, readonly string[]>> = {
  p1: [],
  p2: ["p1"],
  p3: ["p1"],
  p4: ["p2", "p3"],
  p5: ["p4"],
};

/** Five phases of three tasks. One task always fails on its first attempt, and if asked for, one fails for good. */
export function chaoticProject(id: string, { fails = false }: { fails?: boolean } = {}): WrittenProject {
  const titles = Object.fromEntries(
    Object.keys(order).map((phase) => [phase, [`${phase} one`, `${phase} two`, `${phase} three`]]),
  );
  titles["p2"]![1] = "p2 two fails once";
  titles["p5"]![0] = "p5 one fails once";
  if (fails) titles["p4"]![2] = "p4 three always fails";
  const phases = Object.fromEntries(Object.entries(titles).map(([phase, names]) => [phase, names.map(idOf)]));
  const failures: Record<string, number> = { [idOf("p2 two fails once")]: 1 };
  if (fails) failures[idOf("p4 three always fails")] = 3;
  else failures[idOf("p5 one fails once")] = 1;
  return {
    document: documentOf(id, titles),
    phases,
    dependsOn: order,
    failures,
    ...(fails && { failsAt: idOf("p4 three always fails") }),
  };
}

/** One phase of tasks with these titles. */
export function plainProject(id: string, titles: readonly string[]): WrittenProject {
  return {
    document: documentOf(id, { p1: titles }),
    phases: { p1: titles.map(idOf) },
    dependsOn: { p1: [] },
    failures: {},
  };
}

/** One phase, whose feature is written in words: no rule builds it, and whoever finishes it waits at the gate. */
export function unfinishedDocument(id: string): string {
  return `${documentOf(id, { waits: ["one"] })}requirements:
  agents: { finisher: { capabilities: [finishing] } }
`;
}

function documentOf(id: string, titles: Readonly<Record<string, readonly string[]>>): string {
  const phases = Object.entries(titles).map(([name, features]) => {
    // The first is verified by itself: what it made must be there.
    const acceptance = name === "p1" ? `, acceptance: { built: "the scripts pass" }` : "";
    return `  ${name}: { features: [${features.join(", ")}], depends_on: [${(order[name] ?? []).join(", ")}]${acceptance} }`;
  });
  return `spec_version: "1.0.0"
id: ${id}
name: ${id}
description: Is carried out whatever happens.
outcome_type: api
stack: {}
acceptance: {}
performance: { parallel_tasks: 4 }
scripts:
  build: test -f ${idOf(Object.values(titles)[0]![0]!)}.txt
phases:
${phases.join("\n")}
`;
}

function idOf(title: string): string {
  return title.replaceAll(" ", "-");
}
