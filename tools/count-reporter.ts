import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line that machines can read: `N passed, N failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, long: 0 };
    for (const module of modules) {
      // A file that could not be loaded has no tests that could fail.
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "skipped" && test.tags.includes("long")) count.long += 1;
        else if (state !== "pending") count[state] += 1;
      }
    }
    if (count.long > 0) console.log(`${count.long} left to \`npm run test:long\``);
    if (count.skipped > 0) console.log(`${count.skipped} skipped, which need something that is not here`);
    console.log(`${count.passed} passed, ${count.failed} failed`);
  }
}
