export { runWorker } from "./run-worker.ts";
export { workerHelp } from "./worker-options.ts";
