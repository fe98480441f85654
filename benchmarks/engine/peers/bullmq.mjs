import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";

/** A worker with many jobs at once; each counts itself, and the last of its phase adds the next. */
export async function start({ redis }, ran) {
  const connect = () => new Redis(redis.socket, { maxRetriesPerRequest: null });
  const connections = [connect(), connect(), connect()];
  const queue = new Queue("task", { connection: connections[0] });
  const counts = connections[1];
  const ended = new Map();
  const jobsOf = (id, phase) => [0, 1, 2].map((task) => ({ name: "task", data: { id, phase, task }, opts }));
  const worker = new Worker(
    "task",
    async ({ data: { id, phase, task } }) => {
      ran(id, phase, task);
      if ((await counts.incr(`done:${id}:${phase}`)) < 3) return;
      if (phase < 4) await queue.addBulk(jobsOf(id, phase + 1));
      else ended.get(id).resolve();
    },
    { connection: connections[2], concurrency: 100 },
  );
  worker.on("error", console.error);
  await worker.waitUntilReady();
  return {
    run: async (ids) => {
      for (const id of ids) ended.set(id, Promise.withResolvers());
      await queue.addBulk(ids.flatMap((id) => jobsOf(id, 0)));
      await Promise.all(ids.map((id) => ended.get(id).promise));
      ended.clear();
    },
    stop: async () => {
      await worker.close();
      await queue.close();
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Nobody looks at finished jobs again. */
const opts = { removeOnComplete: true };
