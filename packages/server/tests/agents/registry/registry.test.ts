import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import type { Probe } from "../../../src/agents/drivers/driver.ts";
import { selectKnownAgents } from "../../../src/agents/registry/agent-store.ts";
import { defaultProbeLimits } from "../../../src/agents/registry/probes.ts";
import { Registry, type RegistryDeps } from "../../../src/agents/registry/registry.ts";
import type { RunnableAgent } from "../../../src/agents/registry/runnable-agent.ts";
import { findRunningTasks } from "../../../src/engine/jobs/index.ts";
import { register } from "../../support/agents/agent-calls.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** The endpoints and the database; nodes are made by the tests. */
const app = await createTestApp();
const { db, clock } = app;
const usable: Probe = { isUsable: true, version: "1" };

const nodes: Registry[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  await db.deleteFrom("agents").execute();
});

function makeNode(parts: Partial<RegistryDeps> = {}): Registry {
  const registeredAgent: RegistryDeps["registeredAgent"] = ({ name, capabilities, slots }) =>
    agentOfKind({ name, capabilities, slots: slots ?? 1 });
  const node = new Registry({
    db,
    clock,
    log: pino({ level: "silent" }),
    node: `node_${randomUUID()}`,
    declared: [],
    registeredAgent,
    findRunning: (agentIds) => findRunningTasks(db, agentIds),
    onChanged: () => undefined,
    ...parts,
  });
  nodes.push(node);
  return node;
}

function agentOfKind(about: Partial<RunnableAgent>, probe = async () => usable): RunnableAgent {
  const agent = scriptedAgent(() => undefined, { capabilities: ["api"], slots: 1, ...about });
  return { ...agent, driver: { ...agent.driver, probe } };
}

const a2a = () => register(app, { kind: "a2a", url: "https://agent.example", capabilities: ["api"], slots: 3 });
const idsOf = (node: Registry) => node.agentsHere().map(({ id }) => id);
const untilHere = (node: Registry, id: string) =>
  until(async () => {
    await node.refresh();
    return idsOf(node).includes(id);
  });
const letTimePass = (id: string) =>
  sql`update agents set lease_expires_at = now() - interval '1 second' where id = ${id}`.execute(db);

describe("a registered agent", () => {
  test("is served by exactly one node, and stays with it", async () => {
    const id = await a2a();
    const both = [makeNode(), makeNode()];
    await Promise.all(both.map((node) => node.start()));
    await until(async () => {
      await Promise.all(both.map((node) => node.refresh()));
      return both.some((node) => idsOf(node).includes(id));
    });
    const servers = both.filter((node) => node.find(id) !== undefined);
    expect(servers).toHaveLength(1);
    for (let i = 0; i < 3; i += 1) await Promise.all(both.map((node) => node.refresh()));
    expect(both.filter((node) => node.find(id) !== undefined)).toEqual(servers);
    const here = { id, name: expect.any(String), slots: 3, capabilities: ["api"], offersEveryRole: true };
    expect(servers[0]!.agentsHere()).toEqual([here]);
  });

  test("moves to another node when its own is not heard of any more, which then lets it go", async () => {
    const id = await a2a();
    const [first, second] = [makeNode(), makeNode()];
    await first.start();
    await untilHere(first, id);
    await second.start();
    expect(second.find(id)).toBeUndefined();
    await letTimePass(id);
    await untilHere(second, id);
    await first.refresh();
    expect([first.find(id), idsOf(first)]).toEqual([undefined, []]);
    expect(await selectKnownAgents(db)).toMatchObject([{ id, capabilities: ["api", "finisher"], slots: 3 }]);
  });

  test("is free at once when its node stops", async () => {
    const id = await a2a();
    const [first, second] = [makeNode(), makeNode()];
    await first.start();
    await untilHere(first, id);
    await first.stop();
    await second.start();
    await untilHere(second, id);
  });

  test("that is a worker counts only while it is heard of", async () => {
    const id = await register(app, { capabilities: ["api"], slots: 2 });
    const node = makeNode();
    await node.start();
    expect(node.find(id)).toBeDefined();
    expect(idsOf(node)).toEqual([]);
    // Registered just now: it may still come.
    expect(await selectKnownAgents(db)).toMatchObject([{ id, capabilities: ["api", "finisher"], slots: 0 }]);
    await sql`insert into agent_presence (agent_id, node, slots) values (${id}, 'worker', 2)`.execute(db);
    await untilHere(node, id);
    expect(await selectKnownAgents(db)).toMatchObject([{ id, capabilities: ["api", "finisher"], slots: 2 }]);
    await sql`update agent_presence set seen_at = now() - interval '16 seconds' where agent_id = ${id}`.execute(db);
    await node.refresh();
    expect(idsOf(node)).toEqual([]);
    expect(await selectKnownAgents(db)).toMatchObject([{ id, capabilities: ["api", "finisher"], slots: 0 }]);
    const hour = sql`now() - interval '1 hour'`;
    await sql`update agent_presence set seen_at = ${hour} where agent_id = ${id}`.execute(db);
    expect(await selectKnownAgents(db)).toEqual([]);
  });

  test("that is deleted is no longer there", async () => {
    const id = await a2a();
    const node = makeNode();
    await node.start();
    await untilHere(node, id);
    await app.call({ method: "DELETE", url: `/api/v1/agents/${id}` });
    await node.refresh();
    expect(node.find(id)).toBeUndefined();
  });

  test("becomes the node's own when its config file declares one by that name", async () => {
    const id = await register(app, { name: "codex" });
    const node = makeNode({ declared: [agentOfKind({ name: "codex" })] });
    await node.start();
    expect(idsOf(node)).toEqual([id]);
    const refused = await app.call({ method: "DELETE", url: `/api/v1/agents/${id}` });
    expect(refused.json()).toMatchObject({
      status: 409,
      detail: "The agent 'codex' is declared in the config file of a node: remove it there.",
    });
  });
});

describe("an agent that is to be restarted", () => {
  const restart = (id: string) => app.call({ method: "POST", url: `/api/v1/agents/${id}/restart`, payload: {} });
  const statusOf = async (id: string) =>
    (await app.call({ url: `/api/v1/agents/${id}/status` })).json<{ status: string }>().status;
  /** As if the node were at a task of the agent. */
  const takeJob = (id: string, node: string) =>
    sql`insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload, claimed_by, claimed_at)
      values (${`agent:${id}`}, 1, now() + interval '1 hour', false, 'proj_x', 1, 'task', '{}', ${node}, now())`.execute(
      db,
    );

  test("takes nothing new, finishes what it is at, is tried out, and is there again", async () => {
    let probes = 0;
    const probe = async () => {
      probes += 1;
      return usable;
    };
    const node = makeNode({ node: "node_one", declared: [agentOfKind({ name: "one" }, probe)] });
    await node.start();
    const [id] = idsOf(node) as [string];
    await takeJob(id, "node_one");
    expect(await statusOf(id)).toBe("busy");
    expect((await restart(id)).json()).toMatchObject({ agent_id: id, status: "draining" });
    await node.refresh();
    expect(idsOf(node)).toEqual([]);
    expect(node.find(id)).toBeDefined();
    expect(await selectKnownAgents(db)).toMatchObject([{ id, slots: 0 }]);
    expect([await statusOf(id), probes]).toEqual(["draining", 1]);
    await db.deleteFrom("jobs").execute();
    node.noteTasksEnded();
    await until(async () => (await statusOf(id)) === "idle");
    // Everybody may read that it is over before the node that has written it goes on.
    await until(() => idsOf(node).length > 0);
    expect([idsOf(node), probes]).toEqual([[id], 2]);
  });

  test("is there again only when it has finished on all nodes", async () => {
    const [one, two] = ["node_one", "node_two"].map((node) =>
      makeNode({ node, declared: [agentOfKind({ name: "both" })] }),
    ) as [Registry, Registry];
    for (const node of [one, two]) await node.start();
    const [id] = idsOf(one) as [string];
    await takeJob(id, "node_two");
    await restart(id);
    await until(async () => {
      for (const node of [one, two]) await node.refresh();
      return idsOf(one).length === 0 && idsOf(two).length === 0;
    });
    expect(await statusOf(id)).toBe("draining");
    await db.deleteFrom("jobs").execute();
    await untilHere(two, id);
    await untilHere(one, id);
    expect(await statusOf(id)).toBe("idle");
  });

  test("stays away when it cannot be used after it", async () => {
    let probe: Probe = usable;
    const node = makeNode({ declared: [agentOfKind({ name: "gone" }, async () => probe)] });
    await node.start();
    const [id] = idsOf(node) as [string];
    probe = { isUsable: false, reason: "It was removed." };
    await restart(id);
    await node.refresh();
    await until(async () => (await statusOf(id)) === "error");
    expect(idsOf(node)).toEqual([]);
  });
});

describe("an agent of the node's own", () => {
  test("that could not be used is tried out again, and it is told once each time that it changes", async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg);
    let probe: Probe = { isUsable: false, reason: "Nobody is logged in." };
    const node = makeNode({
      declared: [agentOfKind({ name: "codex" }, async () => probe)],
      log: pino({ level: "info" }, { write }),
      probeLimits: { ...defaultProbeLimits, retryMs: 20 },
    });
    await node.start();
    for (let i = 0; i < 3; i += 1) await node.refresh();
    expect(lines).toEqual(["agent 'codex' cannot be used: Nobody is logged in."]);
    probe = { isUsable: true, version: "0.44.0" };
    await until(async () => {
      await node.refresh();
      return idsOf(node).length === 1;
    });
    expect(lines.slice(1)).toEqual(["agent 'codex' can be used (0.44.0)"]);
  });

  test("that cannot be run at all leaves the others alone", async () => {
    const id = await a2a();
    const registeredAgent = () => {
      throw new Error("What is that?");
    };
    const node = makeNode({ declared: [agentOfKind({ name: "ours" })], registeredAgent });
    await node.start();
    expect(node.agentsHere()).toHaveLength(1);
    expect(node.find(id)).toBeUndefined();
  });
});
