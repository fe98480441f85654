export { ConfigError } from "./config-error.ts";
export type { Failure } from "./failure.ts";
export { messageOf } from "./message-of.ts";
export { Refusal } from "./refusal.ts";
