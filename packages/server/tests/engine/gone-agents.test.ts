import { sql } from "kysely";
import { expect, test } from "vitest";
import { selectKnownAgents } from "../../src/agents/index.ts";
import { Directory } from "../../src/engine/execution/agent-directory.ts";
import { leaveGoneAgents, PlanCache } from "../../src/engine/lifecycle/index.ts";
import { createGateApprovals } from "../../src/features/approvals/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { eventsOf, readProject, untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";
import { until } from "../support/until.ts";

const { app, play } = await createStage({
  agents: [{ name: "here", capabilities: ["api", "planner", "reviewer", "deployer"] }],
});
const { db, clock } = app;

// Before anything is chosen: what is known of agents is remembered for a moment.
const ghost = await addGhost("ghost", ["api"]);
const onlyOne = await addGhost("the only one", ["api", "cobol"]);
const busyOne = await addGhost("the busy one", ["api", "fortran"], 0);

const implementer = (capabilities: string[], preferred: string[] = []) => ({
  requirements: { agents: { implementer: { capabilities, preferred } } },
});

test("a task that waits for an agent nobody has heard of for ten minutes goes to another one", async () => {
  const id = await play(implementer(["api"], [ghost]));
  await until(() => hasJobs(`agent:${ghost}`));
  await lookForGone();
  expect(await hasJobs(`agent:${ghost}`), "it may come back").toBe(true);
  await loseSightOf(ghost);
  await lookForGone();
  const project = await untilEnded(app, id);
  expect(project.status).toBe("deployed");
  expect(Object.values(project.agents)).not.toContain(ghost);
  const failed = (await eventsOf(app, id)).filter(({ event }) => event === "agent.task_failed");
  expect(failed, "it is nobody's failure").toEqual([]);
});

test("without another one the project fails with the capabilities that nobody has", async () => {
  const id = await play(implementer(["cobol"]));
  await until(() => hasJobs(`agent:${onlyOne}`));
  await loseSightOf(onlyOne);
  await lookForGone();
  const { error } = await untilEnded(app, id);
  expect(error).toMatchObject({
    code: "no_agents_available",
    message: expect.stringMatching(/^No agents available with capabilities: \[.*cobol.*\]$/),
  });
});

test("so does one that waited for a busy agent to be free when that is gone", async () => {
  const id = await play(implementer(["fortran"]));
  await until(async () => (await readProject(app, id)).waiting_for === "agent");
  await lookForGone();
  expect((await readProject(app, id)).status).toBe("implementation");
  await loseSightOf(busyOne);
  await lookForGone();
  expect((await untilEnded(app, id)).error?.code).toBe("no_agents_available");
});

/** An agent of another node, which takes nothing, and is seen until somebody loses sight of it. */
async function addGhost(name: string, capabilities: string[], slots = 1): Promise<string> {
  const id = newId("agent", Date.now());
  await db.insertInto("agents").values({ id, kind: "command", name, capabilities }).execute();
  const seenAt = sql<Date>`now() + interval '1 hour'`;
  await db.insertInto("agent_presence").values({ agent_id: id, node: "elsewhere", slots, seen_at: seenAt }).execute();
  return id;
}

async function loseSightOf(agentId: string): Promise<void> {
  await sql`update agent_presence set seen_at = now() - interval '11 minutes' where agent_id = ${agentId}`.execute(db);
}

async function hasJobs(queue: string): Promise<boolean> {
  return (await db.selectFrom("jobs").select("id").where("queue", "=", queue).execute()).length > 0;
}

/** As the engine does it each minute. */
function lookForGone(): Promise<void> {
  return leaveGoneAgents({
    db,
    clock,
    plans: new PlanCache(),
    agents: new Directory(),
    approvals: createGateApprovals(clock),
    artifacts: { record: async () => undefined, keep: async () => undefined },
    retryDelayMs: () => 0,
    knownAgents: () => selectKnownAgents(db),
    onCommit: () => undefined,
  });
}
