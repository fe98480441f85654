export { isLoopback, isMetadataAddress } from "./allowed-address.ts";
export { type Call, type CallListener, Dialler, DialRefusal } from "./dialler.ts";
export { loadUndici } from "./load-undici.ts";
export { metadataNetworks } from "./metadata-networks.ts";
export { type NetworkLimits, networkLimits, waitMs } from "./network-limits.ts";
export { operatorsDialler } from "./operators-dialler.ts";
export { type OriginPool, openOriginPool, type PoolCall, type PoolHandler, prepareOriginPools } from "./origin-pool.ts";
export { readRetryAfter } from "./read-retry-after.ts";
export { type WebhookRules, webhooksDialler } from "./webhooks-dialler.ts";
