export { artifactRoutes } from "./artifact-routes.ts";
export { planRoutes } from "./plan-routes.ts";
export { runRoutes } from "./routes.ts";
