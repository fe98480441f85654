// @module-tag soak
import { sql } from "kysely";
import { expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { plainProject } from "../support/engine/documents.ts";
import { submit, untilEnded } from "../support/engine/follow.ts";
import { scriptedAgent } from "../support/engine/scripted-agent.ts";
import { createTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const agent = scriptedAgent(async ({ task, signal }) => {
  if (task.title.includes("waits")) await new Promise((_, reject) => signal.addEventListener("abort", reject));
  return undefined;
});
const app = await createTestApp({ engine: { agents: [agent], retryDelayMs: () => 0 } });

test.each(soakCases(["task", "no such kind"]))(
  "a job of kind '%s' that was lost too often fails its run",
  async (kind) => {
    const id = await submit(app, plainProject(`lost-${kind.length}`, ["one waits"]).document);
    const number = await until(async () => {
      const claimed = sql<{ number: number }>`
      select number from jobs where group_id = ${id} and payload ->> 'taskId' = 'one-waits' and claimed_by is not null`;
      return (await claimed.execute(app.db)).rows[0]?.number;
    });
    await sql`
    update jobs set kind = ${kind}, losses = 21, claimed_by = null, claimed_at = null, fence = fence + 1, available_at = now()
    where group_id = ${id} and number = ${number}`.execute(app.db);
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      error: { code: "lost", message: expect.stringContaining("without a result 21 times") },
    });
  },
);

test("a job whose result cannot be saved is done again later each time, as one that was lost", {
  tags: "long",
}, async () => {
  await sql`alter table attempts add constraint unsaved check (task_id <> 'unsaved') not valid`.execute(app.db);
  const id = await submit(app, plainProject("not-saved", ["unsaved"]).document);
  await until(async () => {
    const found = await sql<{ losses: number }>`select losses from jobs where group_id = ${id}`.execute(app.db);
    return found.rows.some(({ losses }) => losses >= 2);
  });
  await sql`alter table attempts drop constraint unsaved`.execute(app.db);
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
});
