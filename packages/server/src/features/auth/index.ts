export { Authenticator, revocationsChannel } from "./authenticator.ts";
export { ensureAdmin, rotateAdminToken } from "./first-admin.ts";
export { keyRoutes } from "./key-routes.ts";
export { requireMasterKeys } from "./require-master-keys.ts";
export { removeEnded } from "./store.ts";
export { userRoutes } from "./user-routes.ts";
export { countUsers } from "./user-store.ts";
