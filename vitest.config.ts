import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/tests/**/*.test.ts", "tests/**/*.test.ts"],
    // Needs programs of half a gigabyte: `npm run test:agents` brings and tries them.
    exclude: process.env["SLIPWAY_AGENTS"] === "1" ? [] : ["packages/server/tests/real-agents/**"],
    reporters: ["default", "./tools/count-reporter.ts"],
    globalSetup: ["packages/server/tests/support/global-setup.ts"],
    // More than small machines have cores: many tests wait for processes and databases to start.
    maxWorkers: 4,
    testTimeout: 60_000,
    // A machine that is busy is no failure: what never comes is ended by the test's own limit.
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: 60_000,
  },
});
