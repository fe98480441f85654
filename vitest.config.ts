import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/tests/**/*.test.ts", "tests/**/*.test.ts"],
    reporters: ["default", "./tools/count-reporter.ts"],
    globalSetup: ["packages/server/tests/global-setup.ts"],
    // More than small machines have cores: many tests wait for processes and databases to start.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
