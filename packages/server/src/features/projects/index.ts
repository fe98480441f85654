export { createProject } from "./create-project.ts";
export { DocumentReader } from "./document-reader.ts";
export { Documents } from "./documents.ts";
export { prepareRun, promotionTarget } from "./prepare-run.ts";
export { readWrittenLines } from "./read-written-lines.ts";
export {
  requireOwn,
  requireOwnApplication,
  requireReadable,
  requireReadableApplication,
  whileReadable,
} from "./readable-by.ts";
export { changeableBy, readableBy, readableByWebhook, selectReadable } from "./readable-by-store.ts";
export { refuseDiagnostics, requireValid } from "./require-valid.ts";
export { projectRoutes } from "./routes.ts";
export { showApplication, showProject, versionOf } from "./show-project.ts";
export { findOwner, findProject, findSubmission } from "./store.ts";
