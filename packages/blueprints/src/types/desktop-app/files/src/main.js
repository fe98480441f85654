import { model } from "./model.js";
import { refuseOldNode } from "./refuse-old-node.js";

refuseOldNode();
// Loaded only now: an old Node fails on the imports of the program before a line of it runs.
const { run, stop } = await import("./run.js");
const { exitCode, server } = await run(model, process.argv.slice(2));
process.exitCode = exitCode;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    if (server === undefined) return;
    stop(server);
    server.closeAllConnections();
  });
}
