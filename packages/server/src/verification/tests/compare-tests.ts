import type { DeclaredTests } from "./declared-tests.ts";
import { HiddenTests } from "./hidden-tests.ts";
import type { TestCase } from "./test-case.ts";
import { changesOf, describe, isTest, type TestChanges, together } from "./test-changes.ts";

/** What the files of tests that could not run declare now, by their paths; those that are gone have nothing. */
type DeclaredNow = ReadonlyMap<string, DeclaredTests>;

/**
 * Compares two runs, such as before and after a repair. A test that moved to another file is the same test; one that
 * was renamed counts as deleted, because nobody can tell the two apart.
 */
export function compareTests(
  before: readonly TestCase[],
  after: readonly TestCase[],
  declared: DeclaredNow = new Map(),
): TestChanges {
  const pairs = pairUp(before.filter(isTest), after.filter(isTest));
  const changes = before.filter(isTest).map((one): Partial<TestChanges> => {
    const now = pairs.get(one);
    return now === undefined ? { deleted: [describe(one)] } : changesOf(one, now);
  });
  const judge = new HiddenTests(before, after, pairs, declared);
  for (const one of before) if (!isTest(one)) changes.push(judge.lackOf(one));
  return together(changes);
}

/**
 * What the next run is compared with: every test that was ever there, at its strongest. Else a test that is taken away in
 * one round of repair, and refused, would not be missed in the next.
 */
export function strongestTests(
  before: readonly TestCase[],
  now: readonly TestCase[],
  declared: DeclaredNow = new Map(),
): readonly TestCase[] {
  const pairs = pairUp(before.filter(isTest), now.filter(isTest));
  const stronger = new Map<TestCase, TestCase>();
  const gone: TestCase[] = [];
  const judge = new HiddenTests(before, now, pairs, declared);
  for (const one of before) {
    const same = pairs.get(one);
    if (same !== undefined)
      stronger.set(same, {
        ...same,
        outcome: same.outcome === "skipped" ? one.outcome : same.outcome,
        assertions: Math.max(same.assertions ?? 0, one.assertions ?? 0),
      });
    else if (isTest(one) || judge.isStillThere(one) || hasAny(judge.lackOf(one))) gone.push(one);
  }
  // Of what cannot run yet counts what its files declared at first.
  const known = new Set(gone.filter((one) => !isTest(one)).map(placeOf));
  const added = now.filter((one) => isTest(one) || !known.has(placeOf(one)));
  return [...added.map((one) => stronger.get(one) ?? one), ...gone];
}

function hasAny(changes: Partial<TestChanges>): boolean {
  return Object.values(changes).some((names) => names.length > 0);
}

/**
 * Which test of a run each one of an earlier run is: the one in its place, else one of its name elsewhere. A test stands for
 * one other alone: those of the same name would hide that one of them is gone.
 */
function pairUp(before: readonly TestCase[], now: readonly TestCase[]): ReadonlyMap<TestCase, TestCase> {
  const pairs = new Map<TestCase, TestCase>();
  const taken = new Set<TestCase>();
  for (const keyOf of [placeOf, ({ name }: TestCase) => name]) {
    const left = now.filter((one) => !taken.has(one)).toReversed();
    const free = Map.groupBy(left, keyOf);
    for (const one of before) {
      const same = pairs.has(one) ? undefined : free.get(keyOf(one))?.pop();
      if (same === undefined) continue;
      pairs.set(one, same);
      taken.add(same);
    }
  }
  return pairs;
}

/**
 * The tests of a run, of which some ran once more: those that failed and then passed are flaky. Where several have one name,
 * all of them must have passed: what passed may have been another. What only the second try got to, and failed there, counts.
 */
export function withFlaky(cases: readonly TestCase[], again: readonly TestCase[]): readonly TestCase[] {
  const ran = Map.groupBy(
    cases.filter(({ outcome }) => outcome !== "skipped"),
    placeOf,
  );
  const ranAgain = Map.groupBy(again, placeOf);
  const hasPassed = (place: string) => {
    const passed = (ranAgain.get(place) ?? []).filter(({ outcome }) => outcome === "passed").length;
    return passed === ranAgain.get(place)?.length && passed >= ran.get(place)!.length;
  };
  const told = cases.map((one) =>
    one.outcome === "failed" && hasPassed(placeOf(one)) ? ({ ...one, outcome: "passed", isFlaky: true } as const) : one,
  );
  return withNewFailures(told, again);
}

/** What failed in another run alone, in a file that seemed well: the first one did not get to it. */
export function withNewFailures(cases: readonly TestCase[], again: readonly TestCase[]): readonly TestCase[] {
  const known = new Set(cases.map(placeOf));
  const failing = new Set(cases.flatMap(({ outcome, file }) => (outcome === "failed" ? [file] : [])));
  const isNew = (one: TestCase) => one.outcome === "failed" && !failing.has(one.file) && !known.has(placeOf(one));
  return [...cases, ...again.filter(isNew)];
}

function placeOf({ file, name }: TestCase): string {
  return `${file}\0${name}`;
}
