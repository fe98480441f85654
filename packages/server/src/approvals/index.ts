export { createApprovalBook } from "./book.ts";
export { approvalRoutes } from "./routes.ts";
