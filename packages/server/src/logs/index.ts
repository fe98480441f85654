export { LogBook, LogWriter } from "./log-book.ts";
export { isLogged } from "./log-level.ts";
export { type MaskedLog, openMasked } from "./masked-log.ts";
export { logRoutes } from "./routes.ts";
export { trimLogs } from "./store.ts";
