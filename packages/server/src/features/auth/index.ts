export { insertKey, type NewApiKey } from "./api-keys.ts";
export { Authenticator, revocationsChannel } from "./authenticator.ts";
export { deviceRoutes } from "./device-routes.ts";
export { removeOldDevices } from "./device-store.ts";
export { requireLive, revokeAccess } from "./end-access.ts";
export { createAdminCode, ensureAdmin, rotateAdminToken } from "./first-admin.ts";
export { keyRoutes } from "./key-routes.ts";
export { requireMasterKeys } from "./require-master-keys.ts";
export { serviceAccountRoutes } from "./service-account-routes.ts";
export { sessionRoutes, showSession } from "./session-routes.ts";
export { makeSession, sessionMs } from "./sessions.ts";
export { removeEnded } from "./store.ts";
export { userRoutes } from "./user-routes.ts";
export {
  countUsers,
  findUser,
  insertUser,
  isOnlyPerson,
  lockPerson,
  lockUserByName,
  updateAccount,
  updateRole,
} from "./user-store.ts";
