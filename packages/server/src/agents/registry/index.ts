export { probeWithin, usualProbeLimits } from "./probes.ts";
export { Registry } from "./registry.ts";
export type { RegisteredRow } from "./store.ts";
