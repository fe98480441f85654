export { serveDocs } from "./docs-page.ts";
export { openApiDocument } from "./openapi.ts";
export { operationsRoutes } from "./routes.ts";
