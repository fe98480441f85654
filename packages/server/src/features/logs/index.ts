export { readPage as readLogPage } from "./read-log.ts";
export { logRoutes } from "./routes.ts";
