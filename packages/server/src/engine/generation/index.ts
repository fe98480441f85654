export { describePrevious, findPrevious } from "./find-previous.ts";
export { findConflict, findOrGenerate, type SourceDeps } from "./generate.ts";
export { describeConflict } from "./merge-report.ts";
export { takeProvenance, withProvenance } from "./provenance.ts";
export {
  findApplicationId,
  findCandidates,
  findGeneration,
  findLatestGeneration,
  findNewestGenerated,
  type Generation,
  keepGeneration,
  lockApplication,
  upsertSource,
} from "./store.ts";
