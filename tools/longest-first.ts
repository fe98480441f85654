import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take long although they are short, the longest first. Without the times of an earlier run Vitest begins with
 * the files of most bytes: these would come last, and one worker would run while all others have ended.
 */
const long = [
  "packages/cli/tests/every-command.e2e.test.ts",
  "packages/server/tests/agents/drivers/blueprint-examples.test.ts",
  "tests/benchmarks.test.ts",
  "packages/server/tests/features/webhooks/kill-storm.test.ts",
  "packages/server/tests/engine/outage.test.ts",
  "packages/server/tests/engine/chaos.test.ts",
  "packages/server/tests/app/deployed-life.test.ts",
  "tests/built-packages.test.ts",
  "packages/server/tests/app/worker/worker-runs.test.ts",
  "packages/server/tests/engine/recovery.test.ts",
  "packages/server/tests/app/kill-storm.test.ts",
  "packages/cli/tests/run.e2e.test.ts",
  "packages/cli/tests/source.e2e.test.ts",
];

/** Begins with the files that take longest, so that no long one is left at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = long.indexOf(relative(root, moduleId).replaceAll("\\", "/"));
      return rank === -1 ? long.length : rank;
    };
    // Stable: the rest stays in Vitest's order.
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
