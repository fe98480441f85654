import { DBOS } from "@dbos-inc/dbos-sdk";

/** A workflow for each project, with the tasks of a phase as steps side by side. */
export async function start({ postgres }, ran) {
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
          [0, 1, 2].map((task) => DBOS.runStep(async () => ran(id, phase, task), { name: `task-${task}` })),
        );
    },
    { name: "project" },
  );
  await DBOS.launch();
  return {
    run: async (ids) => {
      const handles = await Promise.all(ids.map((id) => DBOS.startWorkflow(project, { workflowID: id })(id)));
      await Promise.all(handles.map((handle) => handle.getResult()));
    },
    stop: () => DBOS.shutdown(),
  };
}
