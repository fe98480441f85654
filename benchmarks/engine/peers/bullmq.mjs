import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { counted } from "./counted.mjs";

/** A worker with many jobs at once; each is written down in Postgres, and the last of its phase adds the next. */
export async function start({ redis, postgres }, ran) {
  const pool = new pg.Pool({ ...postgres, max: 20 });
  const runs = await counted(pool);
  const query = (text, values) => pool.query(text, values);
  const connect = () => new Redis(redis.socket, { maxRetriesPerRequest: null });
  const connections = [connect(), connect()];
  const queue = new Queue("task", { connection: connections[0] });
  const jobsOf = (id, phase) => [0, 1, 2].map((task) => ({ name: "task", data: { id, phase, task }, opts }));
  const worker = new Worker(
    "task",
    async ({ data: { id, phase, task } }) => {
      ran(id, phase, task);
      const begun = await runs.tasksDone(query, [{ id, phase, task }]);
      for (const next of begun) await queue.addBulk(jobsOf(id, next.phase));
    },
    { connection: connections[1], concurrency: 100 },
  );
  worker.on("error", console.error);
  await worker.waitUntilReady();
  return {
    run: async (ids) => {
      await runs.add(query, ids);
      await queue.addBulk(ids.flatMap((id) => jobsOf(id, 0)));
      await runs.allEnded(ids);
    },
    stop: async () => {
      await worker.close();
      await queue.close();
      for (const connection of connections) connection.disconnect();
      await pool.end();
    },
  };
}

/** Nobody looks at finished jobs again. */
const opts = { removeOnComplete: true };
