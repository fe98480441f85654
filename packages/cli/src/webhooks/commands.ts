import type { WebhookCommand } from "./context.ts";

const webhook = { name: "webhook-id", description: "the webhook, as 'slipway webhooks list' shows it" };
const delivery = { name: "delivery-id", description: "the delivery, as 'slipway webhooks deliveries' shows it" };
const paging = [
  { flags: "--limit <number>", description: "how many at most, up to 100 (default: 25)" },
  { flags: "--cursor <cursor>", description: "go on after the page before" },
];
const sequence = {
  flags: "--sequence <range>",
  description: "only these of a project's sequence: 5-9, 5- or 7 (with --project)",
};
const settings = [
  { flags: "--project <id>", description: "only events of this project" },
  { flags: "--ordering <ordering>", description: "project: each project's events one after the other (default: none)" },
  { flags: "--description <text>", description: "what it is for" },
];
const secret = { flags: "--secret <secret>", description: "'-' reads it from standard input" };

/** Every `slipway webhooks …`. What carries one out is loaded when it is called. */
export const webhookCommands: Readonly<Record<string, WebhookCommand>> = {
  list: {
    on: "service",
    description: "List webhooks, newest first.",
    options: paging,
    run: async (context) => (await import("./list-webhooks.ts")).listWebhooks(context),
  },
  show: {
    on: "service",
    description: "Show a webhook: what it gets, and how it stands.",
    argument: webhook,
    run: async (context) => (await import("./show-webhook.ts")).showWebhook(context),
  },
  create: {
    on: "service",
    description: "Register a webhook. Without --secret one is made, and shown this once.",
    argument: { name: "url", description: "where to post to: an https address" },
    options: [
      { flags: "--events <list>", description: "which events, separated by commas; '*' is all", isRequired: true },
      { ...secret, description: `what bodies are signed with; ${secret.description}` },
      ...settings,
    ],
    run: async (context) => (await import("./change-webhook.ts")).createWebhook(context),
  },
  change: {
    on: "service",
    description: "Change a webhook; what is not named stays.",
    argument: webhook,
    options: [
      { flags: "--webhook-url <address>", description: "where to post to" },
      { flags: "--events <list>", description: "which events, separated by commas; '*' is all" },
      ...settings,
      { flags: "--all-projects", description: "events of every project" },
    ],
    run: async (context) => (await import("./change-webhook.ts")).changeWebhook(context),
  },
  enable: {
    on: "service",
    description: "Set a webhook going again, where it stood.",
    argument: webhook,
    run: async (context) => (await import("./change-webhook.ts")).enableWebhook(context),
  },
  disable: {
    on: "service",
    description: "Send a webhook nothing until it is enabled.",
    argument: webhook,
    run: async (context) => (await import("./change-webhook.ts")).disableWebhook(context),
  },
  delete: {
    on: "service",
    description: "Delete a webhook, and what waits for it.",
    argument: webhook,
    run: async (context) => (await import("./change-webhook.ts")).deleteWebhook(context),
  },
  test: {
    on: "service",
    description: "Send a webhook a webhook.test, and show how that went.",
    argument: webhook,
    run: async (context) => (await import("./show-delivery.ts")).testWebhook(context),
  },
  "rotate-secret": {
    on: "service",
    description: "Replace a webhook's secret. Without --secret one is made, and shown this once.",
    argument: webhook,
    options: [
      { ...secret, description: `the new one; ${secret.description}` },
      { flags: "--overlap <time>", description: "how long the old one holds, too: 90s, 2h, 7d (default: 24h)" },
    ],
    run: async (context) => (await import("./rotate-secret.ts")).rotateSecret(context),
  },
  deliveries: {
    on: "service",
    description: "List what a webhook was sent, newest first.",
    argument: webhook,
    options: [
      { flags: "--status <status>", description: "only pending, delivered, failed or withheld ones" },
      { flags: "--event <name>", description: "only this event" },
      { flags: "--project <id>", description: "only of this project" },
      sequence,
      ...paging,
    ],
    run: async (context) => (await import("./list-deliveries.ts")).listDeliveries(context),
  },
  delivery: {
    on: "service",
    description: "Show a delivery: each attempt, with request, answer, times and whose fault it was.",
    argument: delivery,
    run: async (context) => (await import("./show-delivery.ts")).showDelivery(context),
  },
  redeliver: {
    on: "service",
    description: "Send a delivery again, now.",
    argument: delivery,
    run: async (context) => (await import("./show-delivery.ts")).redeliver(context),
  },
  replay: {
    on: "service",
    description: "Send events again, or such as were there before the webhook.",
    argument: webhook,
    options: [
      { flags: "--since <time>", description: "from then on: 2026-11-15T09:30:00Z, or 2h for two hours ago" },
      { flags: "--until <time>", description: "before then" },
      { flags: "--events <list>", description: "only these, separated by commas" },
      { flags: "--project <id>", description: "only of this project" },
      sequence,
      { flags: "--dry-run", description: "send nothing; show what would be sent" },
    ],
    run: async (context) => (await import("./replay-deliveries.ts")).replayDeliveries(context),
  },
  events: {
    on: "this machine",
    description: "List the events that there are; --json has the schema of each.",
    run: async (context) => (await import("./list-events.ts")).listEvents(context),
  },
  listen: {
    on: "service",
    // It stays: who runs a document meanwhile finds the service that was started for this one.
    needsWorker: true,
    description: "Print and verify what a webhook would get, as it happens, on this machine; no tunnel.",
    options: [
      { flags: "--events <list>", description: "only these, separated by commas (default: all)" },
      { flags: "--project <id>", description: "only of this project" },
      { flags: "--forward-to <address>", description: "post each there, as it is: an address of this machine" },
      { ...secret, description: `sign what is posted there with this instead; ${secret.description}` },
      { flags: "--print <what>", description: "line or body (default: line)" },
    ],
    run: async (context) => (await import("./listen.ts")).listen(context),
  },
  verify: {
    on: "this machine",
    description: "Check a receiver: send it right and wrong deliveries, and judge its answers.",
    argument: { name: "url", description: "the receiver; it may be on this machine" },
    options: [{ ...secret, description: `its secret (default: SLIPWAY_WEBHOOK_SECRET); ${secret.description}` }],
    run: async (context) => (await import("./receiver/verify-receiver.ts")).verifyReceiver(context),
  },
};
