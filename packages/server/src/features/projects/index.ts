export { DocumentReader } from "./document-reader.ts";
export { Documents } from "./documents.ts";
export { promotionTarget } from "./prepare-run.ts";
export { requireOwn, requireOwnApplication, requireReadable, requireReadableApplication } from "./readable-by.ts";
export { readableBy, readableByUser, selectReadable } from "./readable-by-store.ts";
export { refuseDiagnostics } from "./require-valid.ts";
export { projectRoutes } from "./routes.ts";
export { showApplication, showProject, versionOf } from "./show-project.ts";
export { findOwner, findProject, findSubmission } from "./store.ts";
