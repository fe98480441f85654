export { type Actor, auditEntry, recordChange } from "./record-change.ts";
export { auditRoutes } from "./routes.ts";
export { sealAudit } from "./seal-audit.ts";
export type { AuditRow } from "./store.ts";
