import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveSpec, type SpecDocument } from "@slipway/spec";
import { expect, onTestFinished, test } from "vitest";
import { checkResult } from "../../src/verification/index.ts";
import { sharedSandbox } from "../support/verification/test-project.ts";

const scans = { scan: async () => Promise.reject(new Error("No scan at the end of a phase.")) };
const plugins = { check: async () => [] };

test("a verification that takes longer than its parts may together fails the lines that it did not reach", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-limit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "a.txt"), "a");
  const endless = { command: "sleep 600", timeout_seconds: 600 };
  const { document } = resolveSpec({
    ...{ spec_version: "1.0.0", id: "slow", name: "Slow", description: "d", outcome_type: "library", stack: {} },
    acceptance: { files_exist: ["b.txt"] },
    phases: { first: { tasks: [], acceptance: { commands: [endless], files_exist: ["a.txt"], taste: "good" } } },
    timeouts: { implementation_minutes: 1, test_execution_minutes: 1 },
  } as unknown as SpecDocument);
  const checked = await checkResult(
    { sandbox: await sharedSandbox(), plugins, scans },
    {
      ...{ document, folder, minuteMs: 60, cache: undefined, secrets: {}, phase: "first" },
      signal: new AbortController().signal,
      openLog: () => ({ write: () => undefined, end: () => undefined }),
    },
  );
  expect(checked.verdicts.map(({ pointer, verdict }) => `${pointer} ${verdict}`)).toEqual([
    "/phases/first/acceptance/commands/0 failed",
    "/phases/first/acceptance/files_exist failed",
  ]);
  expect(checked.verdicts[0]?.reason).toMatch(/^Not reached. The verification took longer than 32 minutes/);
  expect(checked.error?.code).toBe("acceptance_failed");
});
