export { createApprovalBook } from "./book.ts";
export { PermissionDesk } from "./permission-desk.ts";
export { approvalRoutes } from "./routes.ts";
