export { agentRoutes } from "./routes.ts";
export { requireUploadLease, workerRoutes } from "./worker-routes.ts";
