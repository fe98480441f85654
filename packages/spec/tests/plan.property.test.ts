// @module-tag soak
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soakRuns } from "../../../tools/soak-runs.ts";
import {
  acceptanceLines,
  builtInTaskIds,
  type CompleteSpec,
  Graph,
  limits,
  parseSpec,
  planWork,
  readTaskBreakdown,
  resolveSpec,
  summarisePlan,
  type WorkPlan,
  writeTaskBreakdown,
} from "../src/index.ts";

/** Names that people give, and names that try something: few, so that they often meet. */
const name = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "c",
    "A",
    "plan",
    "deploy",
    "validate",
    "plan-2",
    "Login form",
    "login-form",
    "登录",
    "注册",
  ),
  fc.constantFrom(
    "true",
    "1.0",
    "a: b",
    "# a",
    "- a",
    "|",
    "'",
    '"',
    "a\nb",
    "\u0085",
    "\u2028\ufeff",
    "é/~",
    " ",
    "~",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => !/\0|\p{Surrogate}/u.test(text)),
);
const hours = fc.double({ min: 0, max: 100_000, minExcluded: true, noNaN: true });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const some = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 4 });
const acceptance = fc.record(
  {
    commands: some(name),
    http_endpoints: some(fc.record({ path: fc.constantFrom("/", "/login", "/a/{b}") })),
    service_health: some(fc.record({ service: name })),
    performance: fc.dictionary(name, fc.constantFrom<string | number>(1, "fast"), { maxKeys: 2 }),
    deployment_time_max_minutes: fc.constant(3),
    odd: fc.boolean(),
  },
  { requiredKeys: [] },
);
const phase = fc.record(
  {
    features: some(name),
    depends_on: some(fc.constantFrom("a", "b", "c")),
    priority: fc.constantFrom("critical", "high", "medium", "low"),
    estimated_hours: hours,
    acceptance,
    description: name,
  },
  { requiredKeys: [] },
);
const task = fc.record(
  {
    id: name,
    title: fc.oneof(name, fc.constant("")),
    description: fc.oneof(name, fc.constant(""), fc.constant("First line.\n\nSecond: line.")),
    phase: fc.constantFrom("a", "b", "c", "planning", "implementation", "validation", "deployment"),
    role: name,
    depends_on: some(name),
    estimated_hours: hours,
  },
  { requiredKeys: [] },
);
const written = fc.record({
  acceptance,
  phases: maybe(fc.dictionary(fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a", "b", "c") }, name), phase)),
  services: maybe(fc.dictionary(name, fc.record({ dependencies: some(name) }), { maxKeys: 4 })),
  tasks: maybe(fc.array(task, { maxLength: 8 })),
});

/** Valid documents, made from arbitrary ones by removing what is invalid. */
const documents = written.map((parts) => mended(parts)).filter((document) => document !== undefined);

describe("the plan of any document", () => {
  test("has every task in a phase, after all that it waits for, and none in a circle", () => {
    holds(documents, (document) => {
      const { phases, tasks } = planWork(document);
      const places = new Map(tasks.map(({ id }, index) => [id, index]));
      expect(places.size).toBe(tasks.length);
      const phaseNames = phases.map(({ name }) => name);
      expect(new Set(phaseNames).size).toBe(phaseNames.length);
      for (const [index, { name, dependsOn }] of phases.entries()) {
        for (const other of dependsOn) expect(phaseNames.slice(0, index), name).toContain(other);
      }
      const phaseOf = new Map(tasks.map(({ id, phase }) => [id, phase]));
      for (const [index, { phase, dependsOn, estimatedHours, role, title }] of tasks.entries()) {
        expect(phaseNames).toContain(phase);
        expect(estimatedHours).toBeGreaterThan(0);
        expect([role, title]).not.toContain("");
        expect(new Set(dependsOn).size).toBe(dependsOn.length);
        for (const other of dependsOn) {
          expect(places.get(other)).toBeLessThan(index);
          expect(isBeforeOrSame(phases, phaseOf.get(other)!, phase)).toBe(true);
        }
      }
      for (const { name, kind } of phases)
        expect(
          tasks.some((task) => task.phase === name),
          kind,
        ).toBe(true);
      expect(combined({ phases, tasks }).cycles).toEqual([]);
    });
  });

  test("covers every task, feature and service, and has every line of acceptance served", () => {
    holds(documents, (document) => {
      const { tasks } = planWork(document);
      const own = tasks.filter(({ id }) => !builtInTaskIds.includes(id));
      const wordless = new Set((document.tasks ?? []).filter(({ title }) => title?.trim() === "").map(({ id }) => id));
      const has = (phase: string | undefined, text: string) =>
        own.some((task) => {
          const isThere = phase === undefined || task.phase === phase;
          const names = [task.id, task.id.replace(/-\d+$/, ""), task.title];
          // A task of the document's own without words in its title is named by its id or place, and covers what has none either.
          if (text.trim() === "" && (/^Task \d+$/.test(task.title) || wordless.has(task.title))) return isThere;
          return isThere && (names.some((other) => alike(other, text)) || task.title === `Build the service ${text}`);
        });
      expect(own.length).toBeGreaterThanOrEqual(Math.max(1, document.tasks?.length ?? 0));
      for (const { id } of document.tasks ?? []) if (id !== undefined) expect(has(undefined, id)).toBe(true);
      for (const [phase, { features }] of Object.entries(document.phases ?? {})) {
        for (const feature of features) expect(has(phase, feature), feature).toBe(true);
      }
      for (const service of Object.keys(document.services ?? {})) expect(has(undefined, service), service).toBe(true);
      const served = new Set(tasks.flatMap(({ serves }) => serves));
      const lines = acceptanceLines(document).map(({ pointer }) => pointer);
      expect([...served].toSorted()).toEqual([...new Set(lines)].toSorted());
      for (const pointer of lines) expect(valueAt(document, pointer)).toBeDefined();
    });
  });

  test("is always the same", () => {
    holds(documents, (document) => {
      expect(planWork(structuredClone(document))).toEqual(planWork(document));
    });
  });

  test("is read as it was written", () => {
    holds(documents, (document) => {
      const plan = planWork(document);
      const text = writeTaskBreakdown(plan);
      expect(readTaskBreakdown(text, document), text).toEqual({ plan, diagnostics: [] });
      expect(readTaskBreakdown(new TextEncoder().encode(text), document).plan).toEqual(plan);
    });
  });

  test("takes as long as its longest chain at least, and as all of its tasks one by one at most", () => {
    holds(fc.tuple(documents, fc.integer({ min: 1, max: 8 })), ([document, slots]) => {
      const plan = planWork(document);
      const { totalHours, criticalPath, durationHours, parallelTasks } = summarisePlan(plan, slots);
      const slack = totalHours * 1e-9;
      expect(parallelTasks).toBe(slots);
      expect(durationHours).toBeGreaterThanOrEqual(Math.max(criticalPath.hours, totalHours / slots) - slack);
      expect(durationHours).toBeLessThanOrEqual(totalHours + slack);
      expect(Math.abs(summarisePlan(plan, 1).durationHours - totalHours)).toBeLessThanOrEqual(slack);
      const atOnce = summarisePlan(plan, plan.tasks.length).durationHours;
      expect(Math.abs(atOnce - criticalPath.hours)).toBeLessThanOrEqual(slack);
      const hoursOf = new Map(plan.tasks.map(({ id, estimatedHours }) => [id, estimatedHours]));
      const sum = criticalPath.tasks.reduce((hours, id) => hours + hoursOf.get(id)!, 0);
      expect(Math.abs(sum - criticalPath.hours)).toBeLessThanOrEqual(slack);
      expect(criticalPath.tasks[0]).toBe("plan");
      expect(criticalPath.tasks.at(-1)).toBe("deploy");
    });
  });
});

test("whatever a plan was changed to, it is read or refused, and what is read can be carried out", () => {
  const change = fc.record({
    at: fc.nat(3000),
    length: fc.nat(20),
    text: fc.constantFrom("", "a", "- ", ": ", "\n", "["),
  });
  holds(fc.tuple(documents, fc.array(change, { maxLength: 3 })), ([document, changes]) => {
    const text = changes.reduce(
      (changed, { at, length, text }) => changed.slice(0, at) + text + changed.slice(at + length),
      writeTaskBreakdown(planWork(document)),
    );
    const { plan, diagnostics } = readTaskBreakdown(text, document);
    expect(plan === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
    expect(diagnostics.length).toBeLessThanOrEqual(limits.diagnostics + 1);
    if (plan === undefined) return;
    expect(combined(plan).order.length).toBe(plan.tasks.length + plan.phases.length);
    expect(readTaskBreakdown(writeTaskBreakdown(plan), document).plan).toEqual(plan);
  });
});

function holds<T>(arbitrary: fc.Arbitrary<T>, predicate: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, predicate), { numRuns: soakRuns(40) });
}

type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

/** Removes values that the parser refuses until none is left. */
function mended(parts: Written): CompleteSpec | undefined {
  const head = { spec_version: "1.0.0", id: "t", name: "T", description: "d", outcome_type: "api", stack: {} };
  const json: Record<string, unknown> = { ...head, ...structuredClone(parts) };
  for (let round = 0; round < 12; round += 1) {
    const { document, diagnostics } = parseSpec(escaped(JSON.stringify(json)));
    if (document !== undefined) return resolveSpec(document).document;
    for (const { pointer } of diagnostics.filter(({ severity }) => severity === "error").toReversed()) {
      const keys = pointer.split("/").slice(1).map(unescaped);
      const last = keys.pop();
      const parent = keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], json);
      if (last === undefined || parent === undefined || Object.hasOwn(head, last)) return undefined;
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete (parent as Record<string, unknown>)[last];
    }
  }
  return undefined;
}

/** JSON may hold characters that documents may only have as escapes. */
function escaped(json: string): string {
  return json.replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function valueAt(document: unknown, pointer: string): unknown {
  const keys = pointer.split("/").slice(1).map(unescaped);
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

function alike(a: string, b: string): boolean {
  const letters = (text: string) =>
    text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, "");
  return letters(a) === letters(b);
}

/** All tasks, and the ends of phases that they wait for. */
function combined({ phases, tasks }: WorkPlan): Graph {
  const dependsOnOf = new Map(phases.map(({ name, dependsOn }) => [name, dependsOn.map((other) => `phase ${other}`)]));
  const steps = [
    ...tasks.map(({ id, phase, dependsOn }) => ({ id, dependsOn: [...dependsOn, ...dependsOnOf.get(phase)!] })),
    ...phases.map(({ name }) => ({
      id: `phase ${name}`,
      dependsOn: tasks.filter(({ phase }) => phase === name).map(({ id }) => id),
    })),
  ];
  return new Graph(steps.map((step) => ({ ...step, hours: 1, rank: 0 })));
}

function isBeforeOrSame(phases: WorkPlan["phases"], earlier: string, later: string): boolean {
  if (earlier === later) return true;
  const { dependsOn } = phases.find(({ name }) => name === later)!;
  return dependsOn.some((other) => isBeforeOrSame(phases, earlier, other));
}
