import { execFileSync } from "node:child_process";

/** The suite names a data folder that is made already: making one takes longer than all of a smoke run. */
export const modelVariables = {
  service: "SLIPWAY_BENCH_SERVICE_DATA",
  database: "SLIPWAY_BENCH_DATABASE_DATA",
} as const;

/** Fills a new data folder from the suite's model. Without one the folder stays empty, and the service makes what it needs. */
export function copyModel(name: keyof typeof modelVariables, folder: string): void {
  const model = process.env[modelVariables[name]];
  if (model !== undefined) execFileSync("cp", ["-a", `${model}/.`, folder]);
}
