export { writeBody } from "./sign-delivery.ts";
export { type WebhookOptions, Webhooks, webhooksChannel } from "./webhooks.ts";
