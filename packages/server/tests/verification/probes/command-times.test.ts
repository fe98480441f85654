// @module-tag long
import { acceptanceLines, parseSpec, resolveSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import type { CommandLimits, CommandToRun } from "../../../src/platform/sandbox/index.ts";
import { checkCommands } from "../../../src/verification/probes/check-commands.ts";
import { sandboxFor } from "../../support/sandboxes.ts";

const text = `spec_version: "1.0.0"
id: slow
name: Slow
description: A command that takes its time.
outcome_type: cli
stack: { language: javascript }
acceptance:
  commands:
    - command: sleep 3
      performance: { max_execution_time_ms: 300 }
`;

test("a machine that is busy while the sandbox is timed takes nothing off a slow command", async () => {
  const { sandbox, folder } = sandboxFor("plain");
  const { document } = resolveSpec(parseSpec(text).document!);
  let runs = 0;
  // The first start of a sandbox is held up by others.
  const runCommand = async (toRun: CommandToRun, limits: CommandLimits) => {
    const end = await sandbox.runCommand(toRun, limits);
    runs += 1;
    return runs === 1 ? { ...end, wallMs: end.wallMs + 10_000 } : end;
  };
  const verdicts = await checkCommands(
    { runCommand },
    {
      document,
      folder,
      signal: new AbortController().signal,
      secrets: {},
      openLog: () => ({ write: () => undefined, end: () => undefined }),
    },
    acceptanceLines(document),
  );
  expect(verdicts.map(({ pointer, verdict }) => [pointer, verdict])).toEqual([
    ["/acceptance/commands/0", "passed"],
    [expect.stringContaining("/acceptance/commands/0/performance"), "failed"],
  ]);
});
