export { projectRoutes } from "./routes.ts";
