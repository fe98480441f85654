export { federationRoutes } from "./routes.ts";
export { type FederationRule, readFederationRules } from "./settings.ts";
export { removeOldTokens } from "./store.ts";
