export { LogBook, type LogWriter } from "./log-book.ts";
export { logRoutes } from "./routes.ts";
export { trimLogs } from "./store.ts";
