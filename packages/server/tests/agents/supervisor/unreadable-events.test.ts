import { expect, test } from "vitest";
import { type AgentDriver, supervise } from "../../../src/agents/index.ts";
import { newFolder, plainHost, workIn } from "../../support/agents/plain-host.ts";

test("an agent whose events cannot be read any more fails, and says why without secrets", async () => {
  const folder = await newFolder();
  const driver: AgentDriver = {
    kind: "command",
    probe: async () => ({ isUsable: true, version: "" }),
    start: () => ({
      events: (async function* () {
        yield { type: "status", text: "begun" } as const;
        throw new Error("odd event of open-sesame");
      })(),
      result: new Promise(() => undefined),
      cancel: () => undefined,
    }),
  };
  const { outcome, progress } = await supervise({
    ...{ driver, work: workIn(folder), secrets: ["open-sesame"], handle: undefined },
    limits: { minutes: 10, minuteMs: 60_000, idleMs: undefined, maxTokens: undefined, maxCostUsd: undefined },
    log: { write: () => undefined, end: () => undefined },
    signal: new AbortController().signal,
    onProgress: () => undefined,
    decide: async () => false,
    makeHost: () => ({
      ...plainHost(folder),
      ...{ broken: new Promise(() => undefined), lastActivityMs: () => 0, end: async () => undefined },
    }),
  });
  expect(outcome).toEqual({
    is: "contained",
    error: { code: "internal_error", message: "What the agent does could not be followed: odd event of ********" },
  });
  expect(progress.lastStatus).toBe("begun");
});
