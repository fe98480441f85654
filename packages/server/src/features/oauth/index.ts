export { removeOldAttempts } from "./attempt-store.ts";
export { checkRoles, checkUser, leaveProvider } from "./check-roles.ts";
export { endAccessOf } from "./end-access.ts";
export { openProviders } from "./open-providers.ts";
export { TokenVerifier } from "./provider/index.ts";
export { oauthRoutes } from "./routes.ts";
