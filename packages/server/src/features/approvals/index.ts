export { PermissionDesk } from "./agent-permissions.ts";
export { createApprovalBook } from "./gate-approvals.ts";
export { approvalRoutes } from "./routes.ts";
