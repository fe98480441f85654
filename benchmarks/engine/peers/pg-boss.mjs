import pg from "pg";
import { PgBoss } from "pg-boss";
import { counted } from "./counted.mjs";

/** Its workers, one job each, in the transaction that completes it; woken by NOTIFY. */
export const start = (place, ran) => startWith(place, ran, { batchSize: 1, localConcurrency: 16 });

export async function startWith(place, ran, options) {
  const pool = new pg.Pool({ ...place.postgres, max: 4 });
  const runs = await counted(pool);
  const boss = new PgBoss({ ...place.postgres, max: 20, useListenNotify: true });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("task", { notify: true });
  const jobsOf = (id, phase) => [0, 1, 2].map((task) => ({ data: { id, phase, task } }));
  await boss.work(
    "task",
    { ...options, transactional: true, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 },
    async (jobs, tx) => {
      for (const { data } of jobs) ran(data.id, data.phase, data.task);
      const query = (text, values) => tx.executeSql(text, values);
      const begun = await runs.tasksDone(query, jobs.map(({ data }) => data));
      const next = begun.flatMap(({ id, phase }) => jobsOf(id, phase));
      if (next.length > 0) await boss.insert("task", next, { db: tx });
    },
  );
  return {
    run: async (ids) => {
      const client = await pool.connect();
      const db = { executeSql: (text, values) => client.query(text, values) };
      await client.query("begin");
      await runs.add((text, values) => client.query(text, values), ids);
      await boss.insert("task", ids.flatMap((id) => jobsOf(id, 0)), { db });
      await client.query("commit");
      client.release();
      await runs.allEnded(ids);
    },
    stop: async () => {
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
}
