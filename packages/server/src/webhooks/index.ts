export { type WebhookOptions, Webhooks, webhooksChannel } from "./webhooks.ts";
