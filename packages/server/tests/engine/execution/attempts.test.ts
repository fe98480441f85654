import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { AgentReport } from "../../../src/agents/index.ts";
import { eventsOf, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";

const { app, play, agentId } = await createStage({
  agents: [
    { name: "first", capabilities: ["api", "preferable"] },
    { name: "second", capabilities: ["api", "shared"] },
    { name: "loner", capabilities: ["solitude"] },
    { name: "rules", capabilities: ["rules", "shared"], generate: async () => ({ is: "done" }) },
  ],
  minuteMs: 2_000,
  retryDelayMs: (failures) => failures * 150,
});

let [first, second, loner, rules] = ["", "", "", ""];
beforeAll(async () => {
  [first, second, loner] = [await agentId("first"), await agentId("second"), await agentId("loner")];
  rules = await agentId("rules");
});

const byFirst = { requirements: { agents: { implementer: { capabilities: ["api"], preferred: ["preferable"] } } } };
const byLoner = { requirements: { agents: { implementer: { capabilities: ["solitude"] } } } };
const broken: AgentReport = { is: "failed", code: "broken", message: "It broke." };
const buildOf = async (id: string) => (await tasksOf(app, id)).find(({ role }) => role === "implementer")!;

describe("a task that fails", () => {
  test("is tried twice more by the same agent, then once by another that fits", async () => {
    const id = await play(byFirst, ({ task, attempt }) =>
      task.role === "implementer" && attempt < 4 ? broken : undefined,
    );
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
    const { status, agent_id, attempts } = await buildOf(id);
    expect([status, agent_id]).toEqual(["completed", second]);
    expect(attempts.map(({ number, agent_id, outcome, error }) => [number, agent_id, outcome, error?.message])).toEqual(
      [
        [1, first, "failed", "It broke."],
        [2, first, "failed", "It broke."],
        [3, first, "failed", "It broke."],
        [4, second, "completed", undefined],
      ],
    );
  });

  test("by the other agent, too, fails its phase and its project with where, what and who", {
    tags: "long",
  }, async () => {
    const id = await play(byFirst, ({ task }) => (task.role === "implementer" ? broken : undefined));
    const error = {
      code: "broken",
      message: "It broke.",
      phase: "implementation",
      task_id: "build-play",
      agent_id: second,
    };
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      current_phase: "implementation",
      waiting_for: null,
      error,
    });
    const { attempts, ...task } = await buildOf(id);
    expect(task).toMatchObject({ status: "failed", agent_id: second });
    expect(attempts.map(({ agent_id }) => agent_id)).toEqual([first, first, first, second]);
    const events = await eventsOf(app, id);
    const failures = events.filter(({ event }) => event === "agent.task_failed");
    expect(failures.map(({ data }) => data["agent_id"])).toEqual([first, first, first, second]);
    expect(failures.at(-1)?.data).toMatchObject({ task_id: "build-play", role: "implementer", error });
    expect(events.at(-1)).toMatchObject({ event: "project.failed", data: { error, phase: "implementation" } });
  });

  test("fails the project after three attempts where nobody else fits", { tags: "long" }, async () => {
    const id = await play(byLoner, ({ task }) => (task.role === "implementer" ? broken : undefined));
    expect((await untilEnded(app, id)).error).toMatchObject({ code: "broken", agent_id: loner });
    expect((await buildOf(id)).attempts).toHaveLength(3);
  });

  test("is not repeated by an agent that builds by rule: another has a try, or the project fails", async () => {
    const report = ({ task }: { task: { role: string } }) => (task.role === "implementer" ? broken : undefined);
    const byRule = { requirements: { agents: { implementer: { capabilities: ["rules"] } } } };
    const alone = await play(byRule, report);
    expect((await untilEnded(app, alone)).error).toMatchObject({ code: "broken", message: "It broke." });
    expect((await buildOf(alone)).attempts).toHaveLength(1);
    const preferred = { capabilities: ["shared"], preferred: ["rules"] };
    const shared = await play({ requirements: { agents: { implementer: preferred } } }, ({ task, agentId: by }) =>
      task.role === "implementer" && by === rules ? broken : undefined,
    );
    expect(await untilEnded(app, shared)).toMatchObject({ status: "deployed" });
    expect((await buildOf(shared)).attempts.map(({ agent_id }) => agent_id)).toEqual([rules, second]);
  });

  test("waits longer after each failure before it is tried again", { tags: "long" }, async () => {
    const id = await play(byLoner, ({ task }) => (task.role === "implementer" ? broken : undefined));
    await untilEnded(app, id);
    const waits = (await buildOf(id)).attempts.map(
      ({ queued_at, started_at }) => Date.parse(started_at!) - Date.parse(queued_at),
    );
    expect(waits[1]).toBeGreaterThanOrEqual(150);
    expect(waits[2]).toBeGreaterThanOrEqual(300);
  });

  test("leaves nothing of what it did: the next attempt begins with what there was before", async () => {
    const seen: boolean[] = [];
    const id = await play(byLoner, async ({ task, folder, attempt }) => {
      if (task.role !== "implementer") return undefined;
      seen.push(
        await access(join(folder, "junk.txt")).then(
          () => true,
          () => false,
        ),
      );
      await writeFile(join(folder, attempt === 1 ? "junk.txt" : "good.txt"), "x");
      return attempt === 1 ? broken : { is: "done" };
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(seen).toEqual([false, false]);
  });

  test("stops what runs beside it: nothing is left of a project that has failed", { tags: "long" }, async () => {
    let wasStopped = false;
    const phases = { one: { features: ["a"] }, two: { features: ["b"] } };
    const id = await play({ phases, performance: { parallel_tasks: 2 } }, async ({ task, signal }) => {
      if (task.id === "a") return broken;
      if (task.id !== "b") return undefined;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      wasStopped = true;
      return { is: "done" };
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "failed", error: { task_id: "a" } });
    await expect.poll(() => wasStopped).toBe(true);
    const tasks = await tasksOf(app, id);
    expect(tasks.find(({ task_id }) => task_id === "b")?.status).toBe("waiting");
    expect(await app.db.selectFrom("jobs").select("id").where("group_id", "=", id).execute()).toEqual([]);
  });
});

describe("an agent", () => {
  test("that takes too long is stopped, and the error names its last output", { tags: "long" }, async () => {
    const id = await play(
      { ...byLoner, timeouts: { implementation_minutes: 1 } },
      async ({ task, onStatus, signal }) => {
        if (task.role !== "implementer") return undefined;
        onStatus("thinking");
        onStatus("counting to infinity");
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        return { is: "done" };
      },
    );
    expect((await untilEnded(app, id)).error).toEqual({
      code: "agent_timeout",
      message: `Agent ${loner} timed out after 1 minute. Last status: counting to infinity`,
      phase: "implementation",
      task_id: "build-play",
      agent_id: loner,
    });
    expect((await buildOf(id)).attempts).toHaveLength(3);
  });

  test("that takes too long and does not listen is not waited for", { tags: "long" }, async () => {
    let attempts = 0;
    const id = await play({ ...byLoner, timeouts: { implementation_minutes: 1 } }, ({ task }) => {
      if (task.role !== "implementer") return undefined;
      attempts += 1;
      return attempts === 1 ? new Promise(() => undefined) : undefined;
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect((await buildOf(id)).attempts).toMatchObject([
      { outcome: "failed", error: { message: `Agent ${loner} timed out after 1 minute. Last status: started` } },
      { outcome: "completed" },
    ]);
  });

  test("that has several minutes reads how many in the error", { tags: "long" }, async () => {
    const id = await play({ ...byLoner, timeouts: { implementation_minutes: 2 } }, ({ task }) => {
      return task.role === "implementer" ? new Promise(() => undefined) : undefined;
    });
    expect((await untilEnded(app, id)).error?.message).toBe(
      `Agent ${loner} timed out after 2 minutes. Last status: started`,
    );
  });

  test("that says it is done but has changed nothing has failed", async () => {
    const id = await play(byLoner, ({ task }) => (task.role === "implementer" ? { is: "done" } : undefined));
    expect((await untilEnded(app, id)).error).toMatchObject({
      code: "nothing_changed",
      message: `The agent ${loner} said it was done, but changed nothing.`,
      task_id: "build-play",
    });
  });

  test("that breaks down has failed, and the service has not", async () => {
    const id = await play(byLoner, ({ task }) => {
      if (task.role === "implementer") throw new Error("segmentation fault");
      return undefined;
    });
    const { error } = await untilEnded(app, id);
    expect(error).toMatchObject({ task_id: "build-play", agent_id: loner });
    expect(error?.message).toContain("segmentation fault");
    expect(await untilEnded(app, await play(byLoner))).toMatchObject({ status: "deployed" });
  });
});
