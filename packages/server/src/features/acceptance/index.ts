export { createReports } from "./reports.ts";
export { acceptanceRoutes } from "./routes.ts";
