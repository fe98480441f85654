export { readLineNumbers } from "./read-line-numbers.ts";
export { createReports } from "./reports.ts";
export { acceptanceRoutes } from "./routes.ts";
