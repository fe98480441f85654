import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { findLongTests, findOnlyLongTests } from "./tools/find-long-tests.ts";
import { findQuickTests } from "./tools/find-quick-tests.ts";
import { testFiles } from "./tools/find-test-files.ts";
import LongestFirst from "./tools/longest-first.ts";

// Threads and programs that tests start load the same files again and again: Node keeps what it compiled.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/slipway", import.meta.url));

const root = fileURLToPath(new URL(".", import.meta.url));
const quick = findQuickTests(root);
const long = process.env["SLIPWAY_LONG"] === "1" ? findLongTests(root) : undefined;
// Needs programs of half a gigabyte: `npm run test:agents` brings and tries them.
const left = process.env["SLIPWAY_AGENTS"] === "1" ? [] : ["packages/server/tests/real-agents/**"];
const onlyLong = process.argv.includes("--tags-filter=not long") ? findOnlyLongTests(root) : [];

export default defineConfig({
  test: {
    projects: [
      // Vitest runs projects by name: those that wait for processes begin, those that only compute fill up the end.
      {
        extends: true,
        test: {
          name: "integration",
          include: long ?? testFiles,
          exclude: [...left, ...quick, ...onlyLong],
          globalSetup: ["packages/server/tests/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "quick",
          // Starts no processes: collects less often.
          execArgv: [],
          include: quick.filter((path) => !onlyLong.includes(path) && (long?.includes(path) ?? true)),
        },
      },
    ],
    tags: [
      { name: "long", description: "only `npm run test:long` tries it, and whoever runs its file" },
      { name: "soak", description: "`npm run test:long` tries it more often, with more or with larger things" },
    ],
    sequence: { sequencer: LongestFirst },
    // A worker starts thousands of processes, and each copies the tables of its memory: what waits for the collector counts.
    execArgv: ["--max-semi-space-size=4"],
    reporters: ["default", "./tools/count-reporter.ts"],
    // A worker loads the service once, not once a file: no module of ours keeps state that a test could see.
    isolate: false,
    // Node reads our TypeScript itself, and its cache of compiled code serves every worker: Vite would transform each file first.
    experimental: { viteModuleRunner: false },
    // More than small machines have cores, because many tests wait for processes; not many more, because each warms up anew.
    maxWorkers: 4,
    testTimeout: 300_000,
    // A machine that is busy is no failure: what never comes is ended by the test's own limit.
    expect: { poll: { timeout: 240_000 } },
    hookTimeout: 300_000,
  },
});
