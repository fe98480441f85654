import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dataFolder, signal, started } from "../../support/database/run-starter.ts";
import { until } from "../../support/until.ts";

test("the second server on a folder is told who holds it, and the first notices nothing", async () => {
  const folder = await dataFolder();
  const first = await started(folder);
  await first.order("lock", "locked");
  await first.order("address http://127.0.0.1:4700", "addressed");

  const second = await started(folder);
  const refusal = await second.order("lock", "locked");
  expect(refusal).toMatchObject({
    code: "folder_in_use",
    holder: { pid: first.child.pid, address: "http://127.0.0.1:4700" },
  });
  const { since } = refusal.holder;
  expect(new Date(since).getTime()).toBeLessThanOrEqual(Date.now());
  expect(refusal.message).toContain(
    `The data folder ${folder} is in use by slipway (process ${first.child.pid}, http://127.0.0.1:4700, since ${since}).`,
  );
  await second.order("leave", "left");
  await second.kill();
  await first.order("stop", "stopped");
});

test("a server that does not listen yet is told of without an address", { tags: "long" }, async () => {
  const folder = await dataFolder();
  const first = await started(folder);
  await first.order("lock", "locked");
  const second = await started(folder);
  const refusal = await second.order("lock", "locked");
  expect(refusal.holder.address).toBeUndefined();
  expect(refusal.message).toContain(`(process ${first.child.pid}, since `);
});

test("of several servers at once, one gets the folder", async () => {
  const folder = await dataFolder();
  const starters = await Promise.all(Array.from({ length: 4 }, () => started(folder)));
  const answers = await Promise.all(starters.map((starter) => starter.order("lock", "locked")));
  expect(answers.filter(({ event }) => event === "locked")).toHaveLength(1);
  expect(answers.filter(({ code }) => code === "folder_in_use")).toHaveLength(3);
});

test("the folder of a server that was killed is free at once", async () => {
  const folder = await dataFolder();
  const [first, second] = [await started(folder), await started(folder)];
  await first.order("lock", "locked");
  await first.kill();
  expect(await second.order("lock", "locked")).toMatchObject({ event: "locked" });
});

test("the lock is taken again when the database was started again", { tags: "long" }, async () => {
  const folder = await dataFolder();
  const first = await started(folder);
  await first.order("lock", "locked");
  await first.order("address http://127.0.0.1:4700", "addressed");
  signal(first.up.pid, "SIGKILL");
  await first.heard("log", "runs again");
  const second = await started(folder);
  const refusal = await until(async () => {
    // Until the first is back, it may be the second who gets the lock: then the first must say that it lost it.
    const answer = await second.order("lock", "locked");
    return answer.event === "refused" ? answer : first.heard("lost");
  });
  expect(refusal.message).toContain("is in use by slipway");
});

test("a server that lost the folder to another one says so", { tags: "long" }, async () => {
  const folder = await dataFolder();
  const [first, second] = [await started(folder), await started(folder)];
  await first.order("lock", "locked");
  // Frozen while the database restarts, it cannot take the lock again before the other one does.
  process.kill(first.child.pid!, "SIGSTOP");
  await until(() => /State:\tT/.test(readFileSync(`/proc/${first.child.pid}/status`, "utf8")));
  signal(second.up.pid, "SIGKILL");
  await second.heard("log", "runs again");
  expect(await second.order("lock", "locked")).toMatchObject({ event: "locked" });
  process.kill(first.child.pid!, "SIGCONT");
  const { message } = await first.heard("lost");
  expect(message).toContain(`process ${second.child.pid}`);
});
