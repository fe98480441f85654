export { findPrevious } from "./find-previous.ts";
export { findOrGenerate, type SourceParts } from "./generate.ts";
export { conflictError, describeConflict } from "./merge-report.ts";
export { findApplicationOf, findGeneration, type Generation } from "./store.ts";
