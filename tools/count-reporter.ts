import type { Reporter, TestModule } from "vitest/node";

const isLongRun = process.env["SLIPWAY_LONG"] === "1";

/** Ends a run with one plain line that machines can read: `N passed, N failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, left: 0 };
    for (const module of modules) {
      // A file that could not be loaded has no tests that could fail.
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "skipped" && isOfOtherRun(test.tags)) count.left += 1;
        else if (state !== "pending") count[state] += 1;
      }
    }
    if (count.left > 0) console.log(`${count.left} left to \`npm ${isLongRun ? "test" : "run test:long"}\``);
    if (count.skipped > 0) console.log(`${count.skipped} skipped, which need something that is not here`);
    console.log(`${count.passed} passed, ${count.failed} failed`);
  }
}

function isOfOtherRun(tags: readonly string[]): boolean {
  return isLongRun ? !tags.includes("long") && !tags.includes("soak") : tags.includes("long");
}
