export { Authenticator, revocationsChannel } from "./authenticator.ts";
export { ensureAdmin, rotateAdminToken } from "./first-admin.ts";
export { requireMasterKeys } from "./require-master-keys.ts";
export { authRoutes } from "./routes.ts";
export { countUsers, removeEnded } from "./store.ts";
