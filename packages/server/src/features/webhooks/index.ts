export { signingSecret, writeBody } from "./sign.ts";
export { type WebhookOptions, Webhooks, webhooksChannel } from "./webhooks.ts";
