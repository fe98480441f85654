import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/tests/**/*.test.ts", "tests/**/*.test.ts"],
    reporters: ["default", "./tools/count-reporter.ts"],
    globalSetup: ["packages/server/tests/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
