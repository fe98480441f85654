import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { counted } from "./counted.mjs";

const most = 200;
const token = "bench";

/**
 * BullMQ given our own batching: one lane that takes up to 200 jobs, and settles all that is finished together. What is
 * sent in one go goes to Redis as one pipeline, and so to the disk at once; what is written down goes to Postgres as one.
 */
export async function start({ redis, postgres }, ran) {
  const pool = new pg.Pool({ ...postgres, max: 4 });
  const runs = await counted(pool);
  const query = (text, values) => pool.query(text, values);
  const connection = new Redis(redis.socket, { maxRetriesPerRequest: null, enableAutoPipelining: true });
  const queue = new Queue("task", { connection });
  const worker = new Worker("task", undefined, { connection, autorun: false });
  worker.on("error", console.error);
  await worker.waitUntilReady();
  await queue.waitUntilReady();
  const jobsOf = (id, phase) => [0, 1, 2].map((task) => ({ name: "task", data: { id, phase, task }, opts }));
  let ring = () => undefined;
  let isStopping = false;

  /** How many were taken. */
  async function turn(waiting) {
    const wanted = Array.from({ length: Math.min(most, waiting) }, () => worker.getNextJob(token, { block: false }));
    const jobs = (await Promise.all(wanted)).filter((job) => job !== undefined);
    for (const { data } of jobs) ran(data.id, data.phase, data.task);
    if (jobs.length === 0) return 0;
    const [begun] = await Promise.all([
      runs.tasksDone(query, jobs.map(({ data }) => data)),
      ...jobs.map((job) => job.moveToCompleted(undefined, token, false)),
    ]);
    const next = begun.flatMap(({ id, phase }) => jobsOf(id, phase));
    if (next.length > 0) await queue.addBulk(next);
    return next.length - jobs.length;
  }

  const lane = (async () => {
    let waiting = 0;
    while (!isStopping) {
      if (waiting === 0) {
        await new Promise((resolve) => {
          ring = resolve;
          setTimeout(resolve, 1_000).unref();
        });
        waiting = await queue.getWaitingCount();
      }
      if (waiting > 0) waiting += await turn(waiting);
    }
  })();
  return {
    run: async (ids) => {
      await runs.add(query, ids);
      await queue.addBulk(ids.flatMap((id) => jobsOf(id, 0)));
      ring();
      await runs.allEnded(ids);
    },
    stop: async () => {
      isStopping = true;
      ring();
      await lane;
      await worker.close();
      await queue.close();
      connection.disconnect();
      await pool.end();
    },
  };
}

const opts = { removeOnComplete: true };
