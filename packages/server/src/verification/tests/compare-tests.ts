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
  const byPlace = new Map(after.map((one) => [`${one.file}\0${one.name}`, one]));
  const byName = new Map(after.map((one) => [one.name, one]));
  const deleted: string[] = [];
  const skipped: string[] = [];
  const emptied: string[] = [];
  const weakened: string[] = [];
  for (const one of before) {
    const now = byPlace.get(`${one.file}\0${one.name}`) ?? byName.get(one.name);
    const name = one.file === "" ? `'${one.name}'` : `'${one.name}' (${one.file})`;
    if (now === undefined) {
      deleted.push(name);
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
  const byPlace = new Map(now.map((one) => [`${one.file}\0${one.name}`, one]));
  const byName = new Map(now.map((one) => [one.name, one]));
  const stronger = new Map<TestCase, TestCase>();
  const gone: TestCase[] = [];
  for (const one of before) {
    const same = byPlace.get(`${one.file}\0${one.name}`) ?? byName.get(one.name);
    if (same === undefined) gone.push(one);
    else {
      const { outcome, assertions = 0 } = stronger.get(same) ?? same;
      stronger.set(same, {
        ...same,
        outcome: outcome === "skipped" ? one.outcome : outcome,
        assertions: Math.max(assertions, one.assertions ?? 0),
      });
    }
  }
  return [...now.map((one) => stronger.get(one) ?? one), ...gone];
}
