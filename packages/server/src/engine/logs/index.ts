export { AppLogs } from "./app-logs.ts";
export { LogWriter, maxAttemptBytes, ProjectLogs } from "./log-writer.ts";
export { type MaskedLog, openMasked } from "./masked-log.ts";
export { type LogChunk, trimLogs } from "./store.ts";
