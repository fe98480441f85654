export { describePrevious } from "./find-previous.ts";
export { findOrGenerate, type SourceParts } from "./generate.ts";
export { conflictError, describeConflict } from "./merge-report.ts";
export { sourceRoutes } from "./routes.ts";
export { findGeneration, type Generation } from "./store.ts";
