export { planRoutes } from "./plan-routes.ts";
export { runRoutes } from "./routes.ts";
