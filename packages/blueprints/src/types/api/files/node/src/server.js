import { refuseOldNode } from "./refuse-old-node.js";

refuseOldNode();
// Loaded only now: an old Node fails on the imports of the program before a line of it runs.
const { startService } = await import("./start-service.js");
const { title, url, stop } = await startService(process.env);
console.log(`${title} listens on ${url}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
