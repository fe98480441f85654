import { expect, test } from "vitest";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { createTestApp } from "../../support/test-app.ts";

const document = `
spec_version: "1.0.0"
id: contained
name: Contained
description: Is built only where it can be contained.
outcome_type: library
stack: {}
acceptance: {}
scripts: { test: "ls / > /dev/null" }
`;
const engine = { agents: [scriptedAgent()], retryDelayMs: () => 0 };
const open = await createTestApp({ engine, sandbox: "auto", host: "0.0.0.0" });
const asTold = await createTestApp({ engine, sandbox: "none", host: "0.0.0.0" });

test("a service that others can reach runs nothing uncontained, unless the operator wants it so", async () => {
  expect(await untilEnded(asTold, await submit(asTold, document))).toMatchObject({ status: "deployed" });
  const project = await untilEnded(open, await submit(open, document));
  // Where bubblewrap is installed it is used, and there is nothing to refuse.
  if (project.status === "deployed") return;
  expect(project.error).toMatchObject({ code: "sandbox_missing", phase: "planning" });
  expect(project.error?.message).toContain("Install bubblewrap, or set 'sandbox: none'.");
});
