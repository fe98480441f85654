export { type Answer, type CallOptions, type Client, type ClientOptions, createClient } from "./client.ts";
export { ConnectionError, SlipwayError, UnsendableError } from "./errors.ts";
export { followToEnd, hasEnded, waitForEnd } from "./follow-to-end.ts";
export { listAll } from "./list-all.ts";
export { watchEvents } from "./watch-events.ts";
export { watchLogs } from "./watch-logs.ts";
export { watchProject } from "./watch-project.ts";
