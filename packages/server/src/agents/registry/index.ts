export type { RegisteredRow } from "./presence-store.ts";
export { probeWithin, usualProbeLimits } from "./probes.ts";
export { Registry } from "./registry.ts";
