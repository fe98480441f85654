import type { TestCase } from "./test-case.ts";

/** What became worse between two runs of a project's tests, as descriptions for people. */
export interface TestChanges {
  readonly deleted: readonly string[];
  /** They ran before. */
  readonly skipped: readonly string[];
  /** They checked something before. */
  readonly emptied: readonly string[];
  /** They check less than before. */
  readonly weakened: readonly string[];
}

type Compared = Pick<TestCase, "file" | "name" | "outcome" | "assertions">;

/** What became worse of a test. */
export function changesOf(before: Compared, now: Compared): Partial<TestChanges> {
  const name = describe(before);
  const skipped = now.outcome === "skipped" && before.outcome !== "skipped" ? [name] : [];
  const [had = 0, has] = [before.assertions, now.assertions];
  if (has === undefined || has >= had) return { skipped };
  if (has === 0) return { skipped, emptied: [name] };
  return { skipped, weakened: [`${name}: ${had} assertions before, ${has} now`] };
}

/** Several as one. */
export function together(changes: readonly Partial<TestChanges>[]): TestChanges {
  const all = (kind: keyof TestChanges) => changes.flatMap((one) => one[kind] ?? []);
  return { deleted: all("deleted"), skipped: all("skipped"), emptied: all("emptied"), weakened: all("weakened") };
}

export function describe({ file, name }: Pick<TestCase, "file" | "name">): string {
  return file === "" ? `'${name}'` : `'${name}' (${file})`;
}

/** Others tell why tests could not run. */
export function isTest({ isNoTest }: TestCase): boolean {
  return isNoTest !== true;
}
