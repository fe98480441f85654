import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { counted } from "./counted.mjs";

/** As its page on performance advises: a local queue, and completions in batches. */
export async function start(place, ran) {
  const pool = new pg.Pool({ ...place.postgres, max: 24 });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  const runs = await counted(pool);
  const addPhases = (query, phases) =>
    query(
      `select graphile_worker.add_jobs(array(
         select json_populate_record(null::graphile_worker.job_spec, spec) from json_array_elements($1::json) as spec
       ))`,
      [
        JSON.stringify(
          phases.flatMap(({ id, phase }) =>
            [0, 1, 2].map((task) => ({ identifier: "task", payload: { id, phase, task } })),
          ),
        ),
      ],
    );
  const runner = await run({
    logger,
    pgPool: pool,
    preset: {
      worker: {
        concurrentJobs: 16,
        pollInterval: 1_000,
        localQueue: { size: 100 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    taskList: {
      task: async ({ id, phase, task }, { withPgClient }) => {
        ran(id, phase, task);
        await withPgClient.withRetries(async (client) => {
          const query = (text, values) => client.query(text, values);
          await client.query("begin");
          const begun = await runs.tasksDone(query, [{ id, phase, task }]);
          if (begun.length > 0) await addPhases(query, begun);
          await client.query("commit");
        });
      },
    },
  });
  return {
    run: async (ids) => {
      const client = await pool.connect();
      const query = (text, values) => client.query(text, values);
      await client.query("begin");
      await runs.add(query, ids);
      await addPhases(query, ids.map((id) => ({ id, phase: 0 })));
      await client.query("commit");
      client.release();
      await runs.allEnded(ids);
    },
    stop: async () => {
      await runner.stop();
      await utils.release();
      await pool.end();
    },
  };
}
