import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";

const most = 200;
const token = "bench";

/**
 * BullMQ given our own batching: one lane that takes up to 200 jobs, and settles all that is finished together. What is
 * sent in one go goes to Redis as one pipeline, and so to the disk at once.
 */
export async function start({ redis }, ran) {
  const connection = new Redis(redis.socket, { maxRetriesPerRequest: null, enableAutoPipelining: true });
  const queue = new Queue("task", { connection });
  const worker = new Worker("task", undefined, { connection, autorun: false });
  worker.on("error", console.error);
  await worker.waitUntilReady();
  await queue.waitUntilReady();
  const ended = new Map();
  const jobsOf = (id, phase) => [0, 1, 2].map((task) => ({ name: "task", data: { id, phase, task }, opts }));
  let ring = () => undefined;
  let isStopping = false;

  /** How many were taken. */
  async function turn(waiting) {
    const wanted = Array.from({ length: Math.min(most, waiting) }, () => worker.getNextJob(token, { block: false }));
    const jobs = (await Promise.all(wanted)).filter((job) => job !== undefined);
    for (const { data } of jobs) ran(data.id, data.phase, data.task);
    const [counts] = await Promise.all([
      Promise.all(jobs.map(({ data }) => connection.incr(`done:${data.id}:${data.phase}`))),
      ...jobs.map((job) => job.moveToCompleted(undefined, token, false)),
    ]);
    const whole = jobs.filter((_, at) => counts[at] === 3).map(({ data }) => data);
    const next = whole.filter(({ phase }) => phase < 4).flatMap(({ id, phase }) => jobsOf(id, phase + 1));
    if (next.length > 0) await queue.addBulk(next);
    for (const { id, phase } of whole) if (phase === 4) ended.get(id).resolve();
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
      for (const id of ids) ended.set(id, Promise.withResolvers());
      await queue.addBulk(ids.flatMap((id) => jobsOf(id, 0)));
      ring();
      await Promise.all(ids.map((id) => ended.get(id).promise));
      ended.clear();
    },
    stop: async () => {
      isStopping = true;
      ring();
      await lane;
      await worker.close();
      await queue.close();
      connection.disconnect();
    },
  };
}

const opts = { removeOnComplete: true };
