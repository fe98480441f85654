export { serveDocs } from "./docs-page.ts";
export { operationsRoutes } from "./routes.ts";
