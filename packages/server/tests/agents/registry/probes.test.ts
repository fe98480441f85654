import type { Agent, Project } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import type { AgentDriver, Probe } from "../../../src/agents/drivers/driver.ts";
import { defaultProbeLimits, Probes, probeWithin } from "../../../src/agents/registry/probes.ts";
import { submit, untilEnded, untilProject } from "../../support/engine/follow.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** A scripted agent that is found as the test says. */
function probed(name: string, probe: AgentDriver["probe"]) {
  const agent = scriptedAgent(() => undefined, { name, capabilities: [name], slots: 2 });
  return { ...agent, driver: { ...agent.driver, probe } };
}

const slow = Promise.withResolvers<Probe>();
const broken: Probe = { isUsable: false, reason: "Nobody\n is logged in." };
const app = await createTestApp({
  engine: {
    agents: [
      scriptedAgent(() => undefined, { name: "ready", capabilities: ["planner", "reviewer", "deployer"] }),
      probed("slow", () => slow.promise),
      probed("broken", async () => broken),
      probed("throws", () => {
        throw new Error("This is not Windows.");
      }),
      probed("new", async () => ({ isUsable: true, version: "0.44.0" })),
    ],
  },
});

describe("the service tries its agents out when it starts", () => {
  test("and does not wait for them: who needs no time is there at once", async () => {
    expect(await agentNamed(app, "ready")).toMatchObject({ status: "idle", slots: 8, problem: null, version: null });
    expect(await agentNamed(app, "slow")).toMatchObject({ status: "offline", slots: 0, problem: null });
  });

  test("who can be used says its version", async () => {
    const found = await until(async () => {
      const agent = await agentNamed(app, "new");
      return agent.version !== null && agent;
    });
    expect(found).toMatchObject({ status: "idle", version: "0.44.0", problem: null, slots: 2 });
  });

  test.for([
    ["broken", "Nobody is logged in."],
    ["throws", "This is not Windows."],
  ] as const)("who cannot be used says why: %s", async ([name, problem]) => {
    const found = await until(async () => {
      const agent = await agentNamed(app, name);
      return agent.problem !== null && agent;
    });
    expect(found).toMatchObject({ status: "error", problem, slots: 0, version: null });
    const status = await app.call({ url: `/api/v1/agents/${found.agent_id}/status` });
    expect(status.json()).toMatchObject({ status: "error" });
  });

  test("a project waits for who is known and cannot be used, and goes on when it can", async () => {
    const [slowId, brokenId] = [await submit(app, workFor("slow")), await submit(app, workFor("broken"))];
    const waits = ({ waiting_for }: Project) => waiting_for === "agent";
    for (const id of [slowId, brokenId]) await untilProject(app, id, waits);
    slow.resolve({ isUsable: true, version: "" });
    expect(await untilEnded(app, slowId)).toMatchObject({ status: "deployed" });
    expect(await untilProject(app, brokenId, waits)).toMatchObject({ status: "implementation" });
    await app.call({ method: "POST", url: `/api/v1/projects/${brokenId}/cancel` });
  });
});

describe("trying out", () => {
  const driverOf = (probe: AgentDriver["probe"]): AgentDriver => ({ ...scriptedAgent().driver, probe });
  const never = () => new Promise<Probe>(() => undefined);

  test("ends when it takes too long, and tells the agent so", async () => {
    let asked: AbortSignal | undefined;
    const driver = driverOf((signal) => {
      asked = signal;
      return never();
    });
    expect(await probeWithin({ driver }, 20)).toEqual({
      isUsable: false,
      reason: "It did not answer within 0.02 seconds.",
    });
    expect(asked?.aborted).toBe(true);
  });

  test("is done with a few at a time, in order, and ends with the agent and the service", async () => {
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<Probe>());
    const begun: number[] = [];
    const leaving = new AbortController();
    const probes = new Probes(defaultProbeLimits);
    const results = gates.map(({ promise }, at) =>
      probes.probe(
        {
          driver: driverOf(() => {
            begun.push(at);
            return promise;
          }),
        },
        at === 2 ? leaving.signal : new AbortController().signal,
      ),
    );
    await until(() => begun.length === 2);
    gates[1]!.resolve({ isUsable: true, version: "two" });
    expect(await results[1]).toEqual({ isUsable: true, version: "two" });
    await until(() => begun.length === 3);
    // Who leaves makes room for the next.
    leaving.abort();
    expect(await results[2]).toBeUndefined();
    await until(() => begun.length === 4);
    expect(begun).toEqual([0, 1, 2, 3]);
    probes.stop();
    expect(await Promise.all([results[0], results[3]])).toEqual([undefined, undefined]);
  });
});

function workFor(capability: string): string {
  return documentOf({ id: capability, requirements: { agents: { implementer: { capabilities: [capability] } } } });
}

async function agentNamed({ call }: TestApp, name: string): Promise<Agent> {
  const { agents } = (await call({ url: "/api/v1/agents?limit=100" })).json<{ agents: Agent[] }>();
  return agents.find((agent) => agent.name === name)!;
}
