import type { Agent, AgentLog } from "@slipway/contract";
import { expect, test } from "vitest";
import { untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { openEventStream } from "../../support/event-stream.ts";

const { app, play, agentId } = await createStage();
const address = await app.http.listen({ host: "127.0.0.1", port: 0 });

type Told = { event: "agents" | "agent" | "log"; data: { agents: Agent[] } & Agent & AgentLog };

async function watch(token: string) {
  const stream = await openEventStream(`${address}/api/v1/agents`, { authorization: `Bearer ${token}` });
  const seen: Told[] = [];
  return {
    seen,
    until: async (isSo: (told: Told) => boolean) => {
      for (;;) {
        const told = (await stream.next()) as unknown as Told;
        seen.push(told);
        if (isSo(told)) return told;
      }
    },
  };
}

test("a stream of agents tells all, then who is busy, what they say, and who is idle again", async () => {
  const id = await agentId("scripted");
  const whole = await watch(app.adminToken);
  const without = await watch((await app.apiKey(["agents:read"])).key);
  for (const { until } of [whole, without]) {
    const { data } = await until(({ event }) => event === "agents");
    expect(data.agents.map(({ agent_id, status }) => [agent_id, status])).toEqual([[id, "idle"]]);
  }
  const mayEnd = Promise.withResolvers<void>();
  const project = await play({ name: "Watched" }, async ({ task, onStatus }) => {
    if (task.role === "planner") return undefined;
    onStatus("writes the first line");
    await mayEnd.promise;
    return undefined;
  });
  const { data } = await whole.until(({ event, data }) => event === "log" && data.lines.some(isFirst));
  expect(data).toMatchObject({ agent_id: id, project_id: project });
  await without.until(({ event, data }) => event === "agent" && data.status === "busy");
  mayEnd.resolve();
  await untilEnded(app, project);
  for (const { until } of [whole, without])
    await until(({ event, data }) => event === "agent" && data.status === "idle" && data.last_activity !== null);
  // Lines belong to projects, which that key may not read.
  expect(without.seen.filter(({ event }) => event === "log")).toEqual([]);
});

const isFirst = ({ text }: { readonly text: string }) => text.includes("writes the first line");
