export { builtInProvider } from "./built-in-provider.ts";
export { secretRoutes } from "./routes.ts";
