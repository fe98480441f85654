import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { acpDriver } from "../../../src/agents/drivers/acp/index.ts";
import { sandboxedHost, supervise } from "../../../src/agents/index.ts";
import type { ProcessOptions, SandboxedProcess } from "../../../src/platform/sandbox/index.ts";
import { newFolder, plainHost, workIn } from "../../support/agents/plain-host.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { sandboxFor } from "../../support/sandboxes.ts";

const agentProgram = fileURLToPath(new URL("../../support/agents/scripted-acp-agent.ts", import.meta.url));

test("a limit that an agent breaks is told, however long its processes take to end", async () => {
  const { sandbox } = sandboxFor("plain");
  const folder = await newFolder();
  const isTold = Promise.withResolvers<void>();
  /** As where thousands of sockets are closed, or many files are removed. */
  const slow = {
    startProcess: async (options: ProcessOptions) => {
      const running = await sandbox.startProcess(options);
      const ended = running.ended.then(async (end) => {
        await isTold.promise;
        return end;
      });
      return Object.create(running, { ended: { value: ended }, kill: { value: () => running.kill() } });
    },
  };
  const limits = { ...ampleLimits, memoryBytes: 1 };
  const { outcome } = await supervisedBy(slow, { folder, limits, steps: [{ hang: "deafly" }] });
  isTold.resolve();
  expect(outcome).toMatchObject({
    is: "memory",
    error: { code: "agent_memory", message: expect.stringMatching(/^Process killed due to memory limit exceeded/) },
  });
});

test("an agent whose programs cannot be watched any more fails, and says why", async () => {
  const { sandbox } = sandboxFor("plain");
  const folder = await newFolder();
  /** As where no file is left to open. */
  const lost = {
    startProcess: async (options: ProcessOptions) => {
      const running = await sandbox.startProcess(options);
      const kill = () => running.kill().then(() => Promise.reject(new Error("no file left")));
      const ended = kill();
      return Object.create(running, { ended: { value: ended }, kill: { value: kill } });
    },
  };
  const { outcome } = await supervisedBy(lost, { folder, limits: ampleLimits, steps: [{ hang: "deafly" }] });
  expect(outcome).toMatchObject({
    is: "contained",
    error: { code: "internal_error", message: "Agent could not be watched: no file left" },
  });
});

interface Agent {
  readonly folder: string;
  readonly limits: typeof ampleLimits;
  readonly steps: readonly object[];
}

function supervisedBy(
  sandbox: { startProcess(options: ProcessOptions): Promise<SandboxedProcess> },
  { folder, limits, steps }: Agent,
) {
  const args = [agentProgram, JSON.stringify({ steps })];
  return supervise({
    driver: acpDriver({ command: process.execPath, args, limits: { exitGraceMs: 100 } }, plainHost(folder)),
    work: workIn(folder),
    limits: { minutes: 10, minuteMs: 60_000, idleMs: undefined, maxTokens: undefined, maxCostUsd: undefined },
    secrets: [],
    log: { write: () => undefined, end: () => undefined },
    signal: new AbortController().signal,
    handle: undefined,
    onProgress: () => undefined,
    decide: async () => false,
    makeHost: (signal) =>
      sandboxedHost(
        {
          ...{ sandbox, runId: `broken-${process.pid}`, folder, limits, network: "none", fetch },
          ...{ saveHandle: async () => undefined, isHeldUp: () => false, secrets: [] },
        },
        signal,
      ),
  });
}
