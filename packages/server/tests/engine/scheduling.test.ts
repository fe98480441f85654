// @module-tag soak
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { untilEnded } from "../support/engine/follow.ts";
import type { Script } from "../support/engine/scripted-agent.ts";
import { createStage } from "../support/engine/stage.ts";
import { until } from "../support/until.ts";

const { app, play } = await createStage();

/** Notes in which order tasks begin and end, and how many were under way at once. */
function watched() {
  const story: string[] = [];
  let [now, most] = [0, 0];
  const script: Script = async ({ task }) => {
    if (task.role !== "implementer") return undefined;
    now += 1;
    most = Math.max(most, now);
    story.push(`+${task.id}`);
    await delay(30);
    story.push(`-${task.id}`);
    now -= 1;
    return undefined;
  };
  return { script, story, most: () => most };
}

const features = ["a", "b", "c", "d", "e"];

test.each(soakCases([2, 1, 4]))("no more than %i tasks of a project run at once", async (parallel_tasks) => {
  const { script, most } = watched();
  const id = await play({ phases: { all: { features } }, performance: { parallel_tasks } }, script);
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect(most()).toBeLessThanOrEqual(parallel_tasks);
});

test("tasks run one by one where memory counts more than speed", { tags: "long" }, async () => {
  const { script, most } = watched();
  const parts = {
    phases: { all: { features } },
    performance: { parallel_tasks: 4 },
    resources: { optimize_for: "memory" },
  };
  const id = await play(parts, script);
  await untilEnded(app, id);
  expect(most()).toBe(1);
});

test("phases that need nothing of each other run side by side", async () => {
  let begun = 0;
  const id = await play({ phases: { left: {}, right: {} }, performance: { parallel_tasks: 2 } }, async ({ task }) => {
    if (task.role !== "implementer") return undefined;
    begun += 1;
    await until(() => begun === 2);
    return undefined;
  });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
});

test("of phases that could start, the more urgent goes first", async () => {
  const { script, story } = watched();
  const phases = { l: { priority: "low" }, m: {}, c: { priority: "critical" }, h: { priority: "high" } };
  const id = await play({ phases, performance: { parallel_tasks: 1 } }, script);
  await untilEnded(app, id);
  expect(story.filter((line) => line.startsWith("+"))).toEqual(["+build-c", "+build-h", "+build-m", "+build-l"]);
});

test("nothing begins before all that it depends on has ended", { tags: "long" }, async () => {
  const { script, story } = watched();
  const phases = {
    top: { features: ["t1", "t2"] },
    left: { depends_on: ["top"] },
    right: { depends_on: ["top"] },
    bottom: { depends_on: ["left", "right"] },
  };
  const tasks = [
    { id: "t1", phase: "top" },
    { id: "t2", phase: "top", depends_on: ["t1"] },
  ];
  const id = await play({ phases, tasks, performance: { parallel_tasks: 4 } }, script);
  await untilEnded(app, id);
  const isBefore = (first: string, second: string) => story.indexOf(first) < story.indexOf(second);
  for (const [first, second] of [
    ["-t1", "+t2"],
    ["-t2", "+build-left"],
    ["-t2", "+build-right"],
    ["-build-left", "+build-bottom"],
    ["-build-right", "+build-bottom"],
  ] as const)
    expect([first, second, isBefore(first, second)]).toEqual([first, second, true]);
});

test("many projects at once all come to their end", { tags: "long" }, async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => play({ phases: { a: {}, b: { depends_on: ["a"] } } })));
  for (const id of ids) expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
});
