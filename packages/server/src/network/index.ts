export { isLoopback } from "./allowed-address.ts";
export { Dialler, DialRefusal } from "./dialler.ts";
export { operatorsDialler } from "./operators-dialler.ts";
export { type WebhookRules, webhooksDialler } from "./webhooks-dialler.ts";
