// @module-tag long
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtInPlugin } from "@slipway/blueprints";
import type { AcceptanceReport } from "@slipway/contract";
import { expect, test } from "vitest";
import { submit, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";

const folder = new URL("demanding/", import.meta.url);
const types = builtInPlugin.outcome_types.map(({ name }) => name);

const app = await createTestApp({
  agents: {
    declared: [
      {
        ...{ name: "coder", kind: "command", profile: "claude-code", capabilities: types },
        ...{ command: "./finish.mjs", reads: ["."] },
      },
    ],
    file: fileURLToPath(new URL("slipway.yaml", folder)),
  },
  // Flows need a browser, and that needs the sandbox.
  sandbox: "auto",
  engine: {},
});

// Each is built, tested and finished several times over: minutes on two cores.
test.for(types)(
  "what the builder leaves of a demanding %s, another agent finishes until it is live",
  {
    timeout: 900_000,
  },
  async (name) => {
    const id = await submit(app, readFileSync(new URL(`${name}.yaml`, folder), "utf8"));
    const { status, error } = await untilEnded(app, id);
    const report = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
    const failed = report.lines.filter(({ verdict }) => verdict === "failed");
    expect(failed.map(({ pointer, reason }) => ({ pointer, reason }))).toEqual([]);
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    // No key has vanished: the agent says of each part what it did, and what it cost.
    expect(report.unmet).toEqual([]);
    const finishing = (await tasksOf(app, id)).filter(({ role }) => role === "finisher").map(({ task_id }) => task_id);
    expect(report.handed_on).not.toEqual([]);
    for (const { task, usage } of report.handed_on) {
      expect(finishing).toContain(task);
      expect(usage).toMatchObject({ input_tokens: expect.any(Number), cost_usd: expect.any(Number) });
    }
  },
);
