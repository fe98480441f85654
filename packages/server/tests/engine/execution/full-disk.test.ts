// @module-tag soak
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { testFolder } from "../../support/database/run-starter.ts";
import { command, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { cannotFillDisk, fillDisk, moveToSmallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";

// Two nodes and one disk: neither may take the other's failure for a verdict.
const { app, play } = await createStage();
await app.anotherNode();
const readiness = () => app.call({ url: "/readyz", token: null });

const write = "head -c 2000000 /dev/zero > out.bin";
const inPhase = { phases: { first: { features: ["make"], acceptance: { commands: [{ command: "true" }] } } } };

test.skipIf(cannotFillDisk).for(
  soakCases([
    ["by a build that needs room", { build: write }, {}],
    ["by tests that remove what they wrote", { test: `${write} || { rm out.bin; exit 1; }` }, {}],
    ["by the evidence alone", { build: "true" }, {}],
    ["within a phase", { build: write }, inPhase],
    ["by a script that deploys", { deploy: write }, {}],
  ] as const),
)(
  "a disk that is full in the middle of the work fails the project for that: noticed %s",
  { tags: "long" },
  async ([, scripts, parts]) => {
    moveToSmallDisk(app.dataFolder, "32m");
    const place = await testFolder();
    const [reached, go] = [join(place, "reached"), join(place, "go")];
    const [[name, script]] = Object.entries(scripts) as [[string, string]];
    const wait = `touch ${reached}; until [ -f ${go} ]; do sleep 0.05; done`;
    const id = await play({ ...parts, scripts: { [name]: `${wait}; ${script}` } });
    await until(() => existsSync(reached));
    const makeRoom = fillDisk(app.dataFolder);
    writeFileSync(go, "");

    const { status, error } = await untilEnded(app, id);
    expect({ status, error }).toMatchObject({ status: "failed", error: { code: "no_space" } });
    expect(error!.message).toMatch(/disk/);
    // What was built is not to blame: nobody is asked to mend it.
    expect((await tasksOf(app, id)).map(({ task_id }) => task_id)).not.toContain("slipway-repair-1");
    await expect.poll(async () => (await readiness()).payload).toContain("the disk is full");

    makeRoom();
    await expect.poll(async () => (await readiness()).statusCode).toBe(200);
    const answer = await command(app, id, "retry", { task_id: error!.task_id ?? "validate" });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
    for (const { role, attempts } of await tasksOf(app, id))
      if (role === "implementer") expect(attempts.map(({ outcome }) => outcome)).toEqual(["completed"]);
    rmSync(place, { recursive: true });
  },
);

test.skipIf(cannotFillDisk)("a disk that is full while an agent works is not the agent's failure", async () => {
  moveToSmallDisk(app.dataFolder, "32m");
  let makeRoom: (() => void) | undefined;
  const id = await play({}, ({ task }) => {
    if (task.role !== "implementer" || makeRoom !== undefined) return undefined;
    makeRoom = fillDisk(app.dataFolder);
    return { is: "failed", code: "agent_failed", message: "It ended with exit code 2." };
  });
  const { status, error } = await untilEnded(app, id);
  expect({ status, error }).toMatchObject({ status: "failed", error: { code: "no_space" } });
  makeRoom?.();
  await command(app, id, "retry", { task_id: error!.task_id });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
});
