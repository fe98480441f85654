// @module-tag soak

import type { AcceptanceReport, Agent } from "@slipway/contract";
import { afterAll, describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { deploymentCalls } from "../../support/deployments/app-calls.ts";
import { eventsOf, submit, untilEnded } from "../../support/engine/follow.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { createTestApp } from "../../support/test-app.ts";

/** Of a secret that has several lines, each tells something. */
const parts = ["first-of-it-4711", "second-of-it-0815", "third-of-it-1234"];
const value = parts.join("\n");
process.env["FAILURES_TEST_KEY"] = value;
afterAll(() => {
  delete process.env["FAILURES_TEST_KEY"];
});

const spill = (after: number) =>
  `node -e 'console.error(process.env.FAILURES_TEST_KEY + "\\n" + "waits\\n".repeat(${after})); process.exitCode = 3'`;

const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  agents: {
    file: "slipway.yaml",
    declared: [
      { name: "plain", kind: "command", command: "sh", args: ["-c", "echo made > made.txt"], capabilities: ["plain"] },
      // Of the last twelve lines that are told, the first two are the secret's.
      ...[10, 0].map((after) => ({
        ...{ name: `spills ${after}`, kind: "command", command: "sh", args: ["-c", spill(after)] },
        ...{ env: ["FAILURES_TEST_KEY"], capabilities: [`spills-${after}`] },
      })),
      // Its end begins within the secret.
      {
        ...{ name: "silent", kind: "acp", command: "sh", args: ["-c", spill(95)] },
        ...{ env: ["FAILURES_TEST_KEY"], capabilities: ["silent"] },
      },
    ],
  },
});

async function play(capability: string, more: object = {}) {
  const secrets = { provider: "env", required: ["FAILURES_TEST_KEY"] };
  const requirements = { agents: { implementer: { capabilities: [capability] } } };
  return untilEnded(app, await submit(app, documentOf({ requirements, secrets, id: capability, ...more })));
}

/** All that is told of a project. */
async function toldOf(id: string): Promise<string> {
  const of = async (path: string) => (await app.call({ url: `/api/v1/projects/${id}${path}` })).body;
  return [await of(""), await of("/acceptance"), await of("/tasks"), JSON.stringify(await eventsOf(app, id))].join(
    "\n",
  );
}

describe("a secret of several lines", () => {
  test.for([
    ["what tests say first", spill(1)],
    // More than is kept: what is kept begins within the secret.
    ["what is left of what tests say", spill(10_918)],
  ])("is told by none of them, in %s of why they failed", { tags: "long" }, async ([_, script]) => {
    const { project_id: id, error } = await play("plain", { scripts: { test: script } });
    expect(error?.message).toContain("ended with exit code 3");
    const told = await toldOf(id);
    for (const part of parts) expect(told).not.toContain(part);
  });

  test("is told by none of them where a command of the acceptance prints something else", {
    tags: "long",
  }, async () => {
    const commands = [{ command: spill(10_918), exit_code: 3, stderr_contains: ["nothing of this"] }];
    const { project_id: id } = await play("plain", { acceptance: { commands } });
    const report = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
    expect(JSON.stringify(report)).toContain("standard error does not contain 'nothing of this', but: ");
    for (const part of parts) expect(JSON.stringify(report)).not.toContain(part);
  });

  test.for(soakCases([10, 0]))("is told by none of them where an agent fails, %i lines later", async (after) => {
    const { project_id: id, error } = await play(`spills-${after}`);
    expect(error?.message).toContain("ended with exit code 3");
    const told = await toldOf(id);
    for (const part of parts) expect(told).not.toContain(part);
  });

  test("is told by none of them where an agent does not answer when it is tried out", async () => {
    const { agents } = (await app.call({ url: "/api/v1/agents?limit=100" })).json<{ agents: Agent[] }>();
    const told = JSON.stringify(agents.find(({ name }) => name === "silent"));
    expect(told).toContain("did not answer as an agent");
    for (const part of parts) expect(told).not.toContain(part);
  });
});

test("a program that fails to be published tells no secret that a build has left", { tags: "long" }, async () => {
  const key = "of-one-line/42";
  await app.call({ method: "PUT", url: "/api/v1/secrets/KEY", payload: { value: key } });
  const secrets = { provider: "slipway", required: ["KEY"] };
  const program = `printf '#!/bin/sh\\necho "Error: no door for %s"; exit 126\\n' "$KEY" > bin/unpublished`;
  const build = `mkdir bin && ${program} && chmod +x bin/unpublished`;
  const {
    project_id: id,
    application_id,
    error,
  } = await play("plain", {
    ...{ id: "unpublished", outcome_type: "cli", secrets, scripts: { build } },
  });
  expect(error).toMatchObject({ code: "deployment_failed", message: expect.stringContaining("no door for ****") });
  const calls = deploymentCalls(app, application_id!);
  const told = JSON.stringify(await calls.read()) + (await toldOf(id));
  expect(told).toContain("no door for ****");
  expect(told).not.toContain(key);
});
