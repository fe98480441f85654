export { PermissionRequests } from "./agent-permissions.ts";
export { createGateApprovals } from "./gate-approvals.ts";
export { approvalRoutes } from "./routes.ts";
