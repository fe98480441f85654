// Runs the app without a window, on HOST and PORT, with its records in ./data: for trying it out.
import { model } from "./model.js";
import { refuseOldNode } from "./refuse-old-node.js";

refuseOldNode();
const { run } = await import("./run.js");
const env = { PORT: "3000", DATA_DIR: "data", ...process.env };
const { server } = await run({ ...model, options: [{ name: "--no-window", does: "no_window" }] }, ["--no-window"], { env });
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
