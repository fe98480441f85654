import { model } from "./model.js";
import { run, stop } from "./run.js";

const { exitCode, server } = await run(model, process.argv.slice(2));
process.exitCode = exitCode;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    if (server === undefined) return;
    stop(server);
    server.closeAllConnections();
  });
}
