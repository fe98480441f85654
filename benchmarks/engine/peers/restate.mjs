import * as restate from "@restatedev/restate-sdk";
import pg from "pg";
import { counted } from "./counted.mjs";
import { connect } from "@restatedev/restate-sdk-clients";

/** A handler for each project, with the tasks of a phase as durable steps side by side. */
export async function start(place, ran) {
  const pool = new pg.Pool({ ...place.postgres, max: 20 });
  const runs = await counted(pool);
  const query = (text, values) => pool.query(text, values);
  const project = restate.service({
    name: "project",
    handlers: {
      run: async (ctx, id) => {
        for (let phase = 0; phase < 5; phase += 1)
          await restate.RestatePromise.all(
            [0, 1, 2].map((task) => ctx.run(`task-${task}`, async () => {
                ran(id, phase, task);
                await runs.tasksDone(query, [{ id, phase, task }]);
              })),
          );
      },
    },
  });
  const port = await restate.serve({ services: [project], port: 0 });
  const answer = await fetch(`${place.restate.admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const client = connect({ url: place.restate.ingress }).serviceClient({ name: "project" });
  return {
    run: async (ids) => {
      await runs.add(query, ids);
      await Promise.all(ids.map((id) => client.run(id)));
      await runs.allEnded(ids);
    },
    stop: () => pool.end(),
  };
}
