import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventFlows, Graph, parseSpec, phaseGraph, resolveSpec, serviceGraph, taskGraph } from "../src/index.ts";

type Task = ConstructorParameters<typeof Graph>[0] extends Iterable<infer T> ? T : never;

const task = (id: string, dependsOn: readonly string[] = [], more: Partial<Task> = {}): Task => ({
  id,
  dependsOn,
  hours: 1,
  rank: 0,
  ...more,
});

const documentOf = (extra: string) => {
  const { document, diagnostics } = parseSpec(`spec_version: "1.0.0"
id: a
name: A
description: d
outcome_type: api
acceptance: {}
stack: {}
${extra}`);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return resolveSpec(document!).document;
};

describe("the order", () => {
  test("puts everything after what it depends on", () => {
    const graph = new Graph([task("ship", ["test"]), task("test", ["build"]), task("build")]);
    expect(graph.order).toEqual(["build", "test", "ship"]);
  });

  test("of what could start at the same time is that of their ranks", () => {
    const graph = new Graph([
      task("low", [], { rank: 3 }),
      task("medium", [], { rank: 2 }),
      task("high", [], { rank: 1 }),
    ]);
    expect(graph.order).toEqual(["high", "medium", "low"]);
  });

  test("of equal ranks is that of the document", () => {
    expect(new Graph([task("c"), task("a"), task("b")]).order).toEqual(["c", "a", "b"]);
  });

  test("lets an urgent one go first as soon as it can start", () => {
    const graph = new Graph([task("a"), task("b"), task("urgent", ["a"], { rank: -1 }), task("c")]);
    expect(graph.order).toEqual(["a", "urgent", "b", "c"]);
  });

  test("does not care for dependencies on what is not there, or named twice", () => {
    const graph = new Graph([task("b", ["nobody", "a", "a"]), task("a")]);
    expect(graph.order).toEqual(["a", "b"]);
    expect(graph.dependenciesOf("b")).toEqual(["a", "a"]);
    expect(graph.dependenciesOf("nobody")).toEqual([]);
  });

  test("leaves out circles, and what waits for them", () => {
    const graph = new Graph([task("a", ["b"]), task("b", ["a"]), task("c", ["a"]), task("free")]);
    expect(graph.order).toEqual(["free"]);
  });
});

describe("what is ready", () => {
  const diamond = new Graph([
    task("end", ["left", "right"]),
    task("right", ["start"], { rank: 1 }),
    task("left", ["start"], { rank: 2 }),
    task("start"),
  ]);

  test("is at first what depends on nothing", () => {
    expect(diamond.readyAfter(new Set())).toEqual(["start"]);
  });

  test("is what waited for nothing else, the most urgent first", () => {
    expect(diamond.readyAfter(new Set(["start"]))).toEqual(["right", "left"]);
  });

  test("is not what still waits for something", () => {
    expect(diamond.readyAfter(new Set(["start", "left"]))).toEqual(["right"]);
    expect(diamond.readyAfter(new Set(["start", "left", "right"]))).toEqual(["end"]);
    expect(diamond.readyAfter(new Set(["start", "left", "right", "end"]))).toEqual([]);
  });
});

describe("circles", () => {
  test("are reported from one of their members back to the same", () => {
    expect(new Graph([task("a", ["b"]), task("b", ["c"]), task("c", ["a"])]).cycles).toEqual([["a", "b", "c", "a"]]);
  });

  test("are reported without the way that leads to them", () => {
    const graph = new Graph([task("x", ["a"]), task("a", ["b"]), task("b", ["a"])]);
    expect(graph.cycles).toEqual([["a", "b", "a"]]);
  });

  test("of one are circles too", () => {
    expect(new Graph([task("a", ["a"])]).cycles).toEqual([["a", "a"]]);
  });

  test("are reported each for itself", () => {
    const graph = new Graph([task("a", ["b"]), task("b", ["a"]), task("c", ["d"]), task("d", ["c"])]);
    expect(graph.cycles).toEqual([
      ["a", "b", "a"],
      ["c", "d", "c"],
    ]);
  });

  test("are printed as a path in the diagnostic", () => {
    const { diagnostics } = parseSpec(
      "phases:\n  a: { depends_on: [b] }\n  b: { depends_on: [c] }\n  c: { depends_on: [a] }\n",
    );
    const found = diagnostics.filter(({ code }) => code === "dependency_cycle");
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining("a → b → c → a")]);
  });

  test("are not reported more often than one could read", () => {
    const ids = Array.from({ length: 50 }, (_, index) => `p${index}`);
    expect(new Graph(ids.map((id) => task(id, ids))).cycles.length).toBeLessThanOrEqual(20);
  });
});

describe("the critical path", () => {
  test("is the chain that takes longest, not the one with the most members", () => {
    const graph = new Graph([
      task("a", [], { hours: 1 }),
      task("b", ["a"], { hours: 1 }),
      task("c", ["b"], { hours: 1 }),
      task("long", [], { hours: 10 }),
      task("end", ["c", "long"], { hours: 2 }),
    ]);
    expect(graph.criticalPath).toEqual({ ids: ["long", "end"], hours: 12 });
  });

  test("of nothing takes no time", () => {
    expect(new Graph([]).criticalPath).toEqual({ ids: [], hours: 0 });
  });
});

describe("any graph without circles", () => {
  test("is ordered along every edge, and has no circles", () => {
    fc.assert(
      fc.property(acyclic, (tasks) => {
        const graph = new Graph(tasks);
        const place = new Map(graph.order.map((id, index) => [id, index]));
        expect(place.size).toBe(tasks.length);
        for (const { id, dependsOn } of tasks) {
          for (const other of dependsOn) expect(place.get(other)!).toBeLessThan(place.get(id)!);
        }
        expect(graph.cycles).toEqual([]);
      }),
    );
  });

  test("starts with what depends on nothing", () => {
    fc.assert(
      fc.property(acyclic, (tasks) => {
        const roots = tasks.filter(({ dependsOn }) => dependsOn.length === 0).map(({ id }) => id);
        expect(new Set(new Graph(tasks).readyAfter(new Set()))).toEqual(new Set(roots));
      }),
    );
  });

  test("is walked to its end by doing what is ready", () => {
    fc.assert(
      fc.property(acyclic, fc.infiniteStream(fc.nat()), (tasks, choices) => {
        const graph = new Graph(tasks);
        const done = new Set<string>();
        for (;;) {
          const ready = graph.readyAfter(done);
          if (ready.length === 0) break;
          done.add(ready[choices.next().value! % ready.length]!);
        }
        expect(done.size).toBe(tasks.length);
      }),
    );
  });

  test("is ordered as one does who always takes the first that is ready", () => {
    fc.assert(
      fc.property(acyclic, (tasks) => {
        const graph = new Graph(tasks);
        const done = new Set<string>();
        for (const id of graph.order) {
          expect(graph.readyAfter(done)[0]).toBe(id);
          done.add(id);
        }
      }),
    );
  });

  test("has a critical path that is a path, takes as long as its members, and no shorter than any other", () => {
    fc.assert(
      fc.property(acyclic, (tasks) => {
        const { ids, hours } = new Graph(tasks).criticalPath;
        const byId = new Map(tasks.map((each) => [each.id, each]));
        expect(ids.reduce((sum, id) => sum + byId.get(id)!.hours, 0)).toBe(hours);
        for (const [index, id] of ids.entries()) {
          if (index > 0) expect(byId.get(id)!.dependsOn).toContain(ids[index - 1]);
        }
        expect(hours).toBe(Math.max(0, ...tasks.map(({ id }) => longestTo(id, byId))));
      }),
    );
  });
});

describe("any graph", () => {
  test("tells only circles that are there", () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        const byId = new Map(tasks.map((each) => [each.id, each]));
        for (const cycle of new Graph(tasks).cycles) {
          expect(cycle.length).toBeGreaterThanOrEqual(2);
          expect(cycle.at(-1)).toBe(cycle[0]);
          expect(new Set(cycle).size).toBe(cycle.length - 1);
          for (const [index, id] of cycle.entries()) {
            if (index > 0) expect(byId.get(cycle[index - 1]!)!.dependsOn).toContain(id);
          }
        }
      }),
    );
  });

  test("has no circle exactly when everything is in its order", () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        const graph = new Graph(tasks);
        expect(graph.cycles.length === 0).toBe(graph.order.length === tasks.length);
        expect(new Set(graph.order).size).toBe(graph.order.length);
      }),
    );
  });
});

describe("a chain of ten thousand", () => {
  const length = 10_000;
  const chain = Array.from({ length }, (_, index) => task(`p${index}`, index === 0 ? [] : [`p${index - 1}`]));

  test.for([
    ["forwards", chain],
    ["backwards", [...chain].reverse()],
  ] as const)("is walked %s without a deep stack", ([, tasks]) => {
    const graph = new Graph(tasks);
    expect(graph.order.length).toBe(length);
    expect(graph.cycles).toEqual([]);
    expect(graph.criticalPath.hours).toBe(length);
    expect(graph.criticalPath.ids[0]).toBe("p0");
  });

  test("that bites its tail is one circle", () => {
    const [first, ...rest] = chain;
    const [cycle, ...others] = new Graph([{ ...first!, dependsOn: [`p${length - 1}`] }, ...rest]).cycles;
    expect(cycle?.length).toBe(length + 1);
    expect(others).toEqual([]);
  });
});

describe("of a document", () => {
  test("phases go by priority, then as they are written", () => {
    const graph = phaseGraph(
      documentOf("phases: { c: { priority: low }, b: {}, a: { priority: medium }, d: { priority: critical } }\n"),
    );
    expect(graph.order).toEqual(["d", "b", "a", "c"]);
  });

  test("a phase takes as long as estimated, else as its tasks and features together, at least an hour", () => {
    const document = documentOf(`phases:
  given: { estimated_hours: 7, features: [x] }
  made: { features: [x, y] }
  empty: {}
tasks:
  - { id: t1, phase: made, estimated_hours: 2.5 }
  - { id: t2, phase: made }
  - { id: t3, phase: given, estimated_hours: 100 }
`);
    const hoursOf = (id: string) =>
      phaseGraph({ ...document, phases: { [id]: document.phases![id]! } }).criticalPath.hours;
    expect(["given", "made", "empty"].map(hoursOf)).toEqual([7, 5.5, 1]);
  });

  test("services start after those they depend on", () => {
    const document = documentOf("services: { web: { dependencies: [api] }, api: { dependencies: [db] }, db: {} }\n");
    expect(serviceGraph(document).order).toEqual(["db", "api", "web"]);
  });

  test("tasks take as long as estimated, else an hour", () => {
    const document = documentOf("tasks: [{ id: a, estimated_hours: 3 }, { id: b, depends_on: [a] }]\n");
    expect(taskGraph(document).criticalPath).toEqual({ ids: ["a", "b"], hours: 4 });
  });

  test("events flow from those who publish to those who consume", () => {
    const document = documentOf(
      "services: { a: { events_published: [x] }, b: { events_consumed: [x] }, c: { events_consumed: [x, x2] }, d: { events_published: [x2] } }\n",
    );
    expect(eventFlows(document)).toEqual([
      { event: "x", publishers: ["a"], consumers: ["b", "c"] },
      { event: "x2", publishers: ["d"], consumers: ["c"] },
    ]);
  });

  test("that has none of them the graphs are empty", () => {
    const document = documentOf("");
    expect([phaseGraph(document).ids, serviceGraph(document).ids, taskGraph(document).ids]).toEqual([[], [], []]);
    expect(eventFlows(document)).toEqual([]);
  });
});

const sizes = fc.nat(12);

/** Edges go from later to earlier numbers only; then the numbers are dealt anew. */
const acyclic: fc.Arbitrary<readonly Task[]> = sizes.chain((size) => {
  const tasks = Array.from({ length: size }, (_, index) =>
    fc.record({
      id: fc.constant(`p${index}`),
      dependsOn: fc
        .uniqueArray(fc.nat(Math.max(0, index - 1)), { maxLength: index })
        .map((numbers) => numbers.map((n) => `p${n}`)),
      hours: fc.integer({ min: 1, max: 20 }),
      rank: fc.nat(3),
    }),
  );
  return fc.tuple(...tasks).chain((dealt) => fc.shuffledSubarray(dealt, { minLength: dealt.length }));
});

const anyGraph = sizes.chain((size) => {
  const ids = Array.from({ length: size }, (_, index) => `p${index}`);
  return fc.tuple(...ids.map((id) => fc.subarray(ids).map((dependsOn) => task(id, dependsOn))));
});

function longestTo(id: string, byId: ReadonlyMap<string, Task>, known = new Map<string, number>()): number {
  const { dependsOn, hours } = byId.get(id)!;
  const longest = known.get(id) ?? hours + Math.max(0, ...dependsOn.map((other) => longestTo(other, byId, known)));
  known.set(id, longest);
  return longest;
}
