export { deploymentRoutes } from "./routes.ts";
