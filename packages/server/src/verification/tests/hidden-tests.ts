import { testName } from "./count-assertions.ts";
import { type DeclaredTests, linesWithout } from "./declared-tests.ts";
import type { TestCase } from "./test-case.ts";
import { changesOf, describe, isTest, type TestChanges, together } from "./test-changes.ts";

/**
 * Judges whether tests that could not run before run now. What had told why is gone then, and the code under test may have
 * had its say in that: so it counts what the files of these tests declared.
 */
export class HiddenTests {
  readonly #declared: ReadonlyMap<string, DeclaredTests>;
  /** Files and folders whose tests can not run in the later run either. */
  readonly #broken: ReadonlySet<string>;
  /** Files with a test in the later run, and those with one that is not skipped. */
  readonly #files: ReadonlySet<string>;
  readonly #ran: ReadonlySet<string>;
  /** Names of tests that the later run alone has, and that are not skipped. */
  readonly #newNames: ReadonlySet<string>;
  /** All that it alone has, by each name that their files may give them: in one file, and in all. */
  readonly #free = new Map<string, TestCase[]>();
  readonly #taken = new Set<TestCase>();
  /** Tests that the earlier run told of by themselves. */
  readonly #told: ReadonlySet<string>;

  constructor(
    before: readonly TestCase[],
    after: readonly TestCase[],
    pairs: ReadonlyMap<TestCase, TestCase>,
    declared: ReadonlyMap<string, DeclaredTests>,
  ) {
    const known = new Set(pairs.values());
    const isNew = (one: TestCase) => isTest(one) && !known.has(one);
    for (const one of after.filter(isNew).toReversed())
      for (const name of namesIn(one.name)) for (const key of [place(one.file, name), name]) this.#add(key, one);
    this.#declared = declared;
    this.#broken = new Set(after.filter((one) => !isTest(one)).map(({ file }) => file));
    this.#files = new Set(after.filter(isTest).map(({ file }) => file));
    this.#ran = new Set(after.filter(hasRun).map(({ file }) => file));
    this.#newNames = new Set(after.flatMap((one) => (isNew(one) && hasRun(one) ? namesIn(one.name) : [])));
    this.#told = new Set(
      before.filter(isTest).flatMap((one) => namesIn(one.name).map((name) => place(one.file, name))),
    );
  }

  isStillThere({ file }: TestCase): boolean {
    return this.#broken.has(file);
  }

  /** What is missing of what could not run, once there is nothing that says why. */
  lackOf(gone: TestCase): TestChanges {
    if (this.isStillThere(gone)) return together([]);
    if (gone.hides === undefined) return together(this.#newNames.size > 0 ? [] : [{ deleted: [describe(gone)] }]);
    return together(gone.hides.map((one) => this.#lackIn(one, gone)));
  }

  #lackIn(before: DeclaredTests, gone: TestCase): Partial<TestChanges> {
    const { file, leavesOut } = before;
    const now = this.#declared.get(file);
    // Some runners do not tell the file: then it is known by its tests.
    const hasTests = (leavesOut ? this.#files : this.#ran).has(file);
    if (!hasTests && !before.tests.some(({ name }) => this.#newNames.has(name)))
      return { deleted: [describe({ file, name: gone.name })] };
    if (now?.digest === before.digest) return {};
    const tests = before.tests.filter(({ name }) => !this.#told.has(place(file, name)));
    const changes = tests.map(({ name, assertions }): Partial<TestChanges> => {
      const one = { file, name, assertions, outcome: leavesOut ? "skipped" : "failed" } as const;
      const same = this.#take(file, name);
      return same === undefined ? { deleted: [describe(one)] } : changesOf(one, same);
    });
    const lines = linesWithout(before.plain, now?.plain ?? []);
    const deleted = lines.map((name) => describe({ file, name }));
    // Of those whose names are computed, only the number is known.
    const isNamed = before.count === before.tests.length;
    const weakened = isNamed
      ? []
      : [...less("tests", before.count, now?.count), ...less("assertions", before.checks, now?.checks)];
    return together([...changes, { deleted, weakened: weakened.map((how) => `${file}: ${how}`) }]);
  }

  /** The test of this name, in its file or moved; it stands for one alone. */
  #take(file: string, name: string): TestCase | undefined {
    for (const free of [this.#free.get(place(file, name)), this.#free.get(name)]) {
      for (let one = free?.pop(); one !== undefined; one = free?.pop()) {
        if (this.#taken.has(one)) continue;
        this.#taken.add(one);
        return one;
      }
    }
    return undefined;
  }

  #add(key: string, one: TestCase): void {
    const same = this.#free.get(key);
    if (same === undefined) this.#free.set(key, [one]);
    else same.push(one);
  }
}

function less(what: string, had: number, has = 0): readonly string[] {
  return has < had ? [`${had} ${what} before, ${has} now`] : [];
}

function hasRun(one: TestCase): boolean {
  return isTest(one) && one.outcome !== "skipped";
}

const maxGroups = 20;

/** What the file of a test may call it: runners put groups, modules and parameters around. */
function namesIn(name: string): readonly string[] {
  const groups = name.split(" > ");
  const inner = groups.slice(0, maxGroups).map((_, index) => groups.slice(index).join(" > "));
  // Rust says so of a test that must fail.
  const last = testName(groups.at(-1)!).split(" - should panic", 1)[0]!;
  return [...new Set([...inner, last, last.split("::").at(-1)!])];
}

function place(file: string, name: string): string {
  return `${file}\0${name}`;
}
