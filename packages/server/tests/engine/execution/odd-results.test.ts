import { expect, test } from "vitest";
import { plainProject } from "../../support/engine/documents.ts";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { createTestApp } from "../../support/test-app.ts";

const said: Readonly<Record<string, string>> = {
  nul: "before\0after",
  half: "before\ud83dafter",
};
const agent = scriptedAgent(({ task }) => {
  if (task.id === "throws") throw Object.assign(new Error("nobody there"), { code: "ECONNREFUSED" });
  const message = said[task.id];
  return message === undefined ? undefined : { is: "failed", code: "odd", message };
});
const app = await createTestApp({ engine: { agents: [agent], retryDelayMs: () => 0 } });

test.for(["nul", "half"])(
  "a project fails with what its agent says, also if that holds what no text may (%s)",
  async (id) => {
    const projectId = await submit(app, plainProject(id, [id, "one"]).document);
    expect(await untilEnded(app, projectId)).toMatchObject({
      status: "failed",
      error: { code: "odd", task_id: id, message: "before\ufffdafter" },
    });
  },
);

test("an agent that cannot reach somebody has failed: it is not the database that is away", async () => {
  const projectId = await submit(app, plainProject("throws", ["throws", "one"]).document);
  expect(await untilEnded(app, projectId)).toMatchObject({
    status: "failed",
    error: { code: "agent_failed", task_id: "throws", message: "nobody there" },
  });
});
