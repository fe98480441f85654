import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { counted } from "./counted.mjs";

/** A workflow for each project, with the tasks of a phase as steps side by side. */
export async function start({ postgres }, ran) {
  const pool = new pg.Pool({ ...postgres, max: 20 });
  const runs = await counted(pool);
  const query = (text, values) => pool.query(text, values);
  const { host, port, user, database } = postgres;
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    systemDatabasePoolSize: 20,
    logLevel: "error",
  });
  const project = DBOS.registerWorkflow(
    async (id) => {
      for (let phase = 0; phase < 5; phase += 1)
        await Promise.all(
          [0, 1, 2].map((task) =>
            DBOS.runStep(
              async () => {
                ran(id, phase, task);
                await runs.tasksDone(query, [{ id, phase, task }]);
              },
              { name: `task-${task}` },
            ),
          ),
        );
    },
    { name: "project" },
  );
  await DBOS.launch();
  return {
    run: async (ids) => {
      await runs.add(query, ids);
      const handles = await Promise.all(ids.map((id) => DBOS.startWorkflow(project, { workflowID: id })(id)));
      await Promise.all(handles.map((handle) => handle.getResult()));
      await runs.allEnded(ids);
    },
    stop: async () => {
      await DBOS.shutdown();
      await pool.end();
    },
  };
}
