export { isLoopback } from "./allowed-address.ts";
export { type Call, type CallListener, Dialler, DialRefusal } from "./dialler.ts";
export { type NetworkLimits, networkLimits, readRetryAfter, waitMs } from "./network-limits.ts";
export { operatorsDialler } from "./operators-dialler.ts";
export { type WebhookRules, webhooksDialler } from "./webhooks-dialler.ts";
