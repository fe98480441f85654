export { describePrevious } from "./find-previous.ts";
export { findConflict, findOrGenerate, type SourceParts } from "./generate.ts";
export { describeConflict } from "./merge-report.ts";
export { sourceRoutes } from "./routes.ts";
export type { Generation } from "./store.ts";
