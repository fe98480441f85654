import type { TestCase } from "./test-case.ts";

/** What became worse between two runs of a project's tests, as descriptions for people. */
interface TestChanges {
  readonly deleted: readonly string[];
  /** They ran before. */
  readonly skipped: readonly string[];
  /** They checked something before. */
  readonly emptied: readonly string[];
  /** They check less than before. */
  readonly weakened: readonly string[];
}

/**
 * Compares two runs, such as before and after a repair. A test that moved to another file is the same test; one that
 * was renamed counts as deleted, because nobody can tell the two apart.
 */
export function compareTests(before: readonly TestCase[], after: readonly TestCase[]): TestChanges {
  const pairs = pairUp(before, after);
  const isMissed = missedIn(after);
  const deleted: string[] = [];
  const skipped: string[] = [];
  const emptied: string[] = [];
  const weakened: string[] = [];
  for (const one of before) {
    const now = pairs.get(one);
    const name = one.file === "" ? `'${one.name}'` : `'${one.name}' (${one.file})`;
    if (now === undefined) {
      if (isMissed(one)) deleted.push(name);
      continue;
    }
    if (now.outcome === "skipped" && one.outcome !== "skipped") skipped.push(name);
    const [had = 0, has] = [one.assertions, now.assertions];
    if (has === undefined || has >= had) continue;
    if (has === 0) emptied.push(name);
    else weakened.push(`${name}: ${had} assertions before, ${has} now`);
  }
  return { deleted, skipped, emptied, weakened };
}

/**
 * What the next run is compared with: every test that was ever there, at its strongest. Else a test that is taken away in
 * one round of repair, and refused, would not be missed in the next.
 */
export function strongestTests(before: readonly TestCase[], now: readonly TestCase[]): readonly TestCase[] {
  const pairs = pairUp(before, now);
  const isMissed = missedIn(now);
  const stronger = new Map<TestCase, TestCase>();
  const gone: TestCase[] = [];
  for (const one of before) {
    const same = pairs.get(one);
    if (same === undefined) {
      if (isMissed(one)) gone.push(one);
    } else
      stronger.set(same, {
        ...same,
        outcome: same.outcome === "skipped" ? one.outcome : same.outcome,
        assertions: Math.max(same.assertions ?? 0, one.assertions ?? 0),
      });
  }
  return [...now.map((one) => stronger.get(one) ?? one), ...gone];
}

/** Whether one that is gone was taken away. What told why tests could not run is rightly gone once there are some in its place. */
function missedIn(now: readonly TestCase[]): (gone: TestCase) => boolean {
  const places = new Set<string>();
  for (const { file, isNoTest } of now) if (!isNoTest) for (const place of placesOf(file)) places.add(place);
  return ({ file, isNoTest }) => !isNoTest || !places.has(file.replace(/\/$/, ""));
}

/** A file and the folders that it is in. */
function placesOf(file: string): string[] {
  const parts = file.split("/");
  return parts.map((_, index) => parts.slice(0, index).join("/")).concat(file.replace(/\/$/, ""));
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
