import { expect, test } from "vitest";
import { tasksOf, untilEnded } from "../support/engine/follow.ts";
import type { Script } from "../support/engine/scripted-agent.ts";
import { createStage } from "../support/engine/stage.ts";
import { until } from "../support/until.ts";

const { app, play, agentId } = await createStage({
  agents: [
    { kind: "llm", name: "thinker", capabilities: ["planner", "reviewer", "deployer"], slots: 1 },
    { kind: "llm", name: "coder", capabilities: ["api"], slots: 4 },
  ],
});

test("a role that nobody is free for waits for an agent that offers it, whoever else has a slot", async () => {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const script: Script = async ({ task, agentId }) => {
    if (task.role !== "planner") return undefined;
    begun.push(agentId);
    await gate.promise;
    return undefined;
  };
  const first = await play({}, script);
  await until(() => begun.length === 1);
  const others = [await play({}, script), await play({}, script)];
  // A queue tells that it is waited for.
  await until(async () => {
    const { total } = await app.db
      .selectFrom("jobs")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("kind", "=", "fill")
      .executeTakeFirstOrThrow();
    return Number(total) === others.length;
  });
  gate.resolve();
  const [thinker, coder] = [await agentId("thinker"), await agentId("coder")];
  for (const id of [first, ...others]) {
    expect((await untilEnded(app, id)).status).toBe("deployed");
    const byRole = Object.fromEntries((await tasksOf(app, id)).map(({ role, agent_id }) => [role, agent_id]));
    expect(byRole).toEqual({ planner: thinker, implementer: coder, reviewer: thinker, deployer: thinker });
  }
});
